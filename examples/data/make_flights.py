#!/usr/bin/env python3
# This file is part of cafwire. See the file LICENSE for license terms.
"""Writes data/flights-2k.json of vega-datasets as CSV to the standard output.

usage: make_flights.py path/to/flights-2k.json > flights.csv
"""
import csv
import json
import sys

COLUMNS = ["date", "delay", "distance", "origin", "destination"]

with open(sys.argv[1], encoding="utf-8") as source:
    flights = json.load(source)
writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
writer.writeheader()
writer.writerows(flights)
