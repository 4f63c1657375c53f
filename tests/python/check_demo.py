# This file is part of cafwire. See the file LICENSE for license terms.

"""Checks the recordings of the demo with cafwire-dump, and with the decoder here, and removes them:
check_demo.py DUMP FOLDER"""

import json
import pathlib
import shutil
import subprocess
import sys

import recordings

# The decoder here is slow: it reads recordings of up to this size.
MAX_BYTES = 2_000_000


def main(dump, folder):
    files = sorted(pathlib.Path(folder).glob("link-*.cafwire"))
    assert len(files) >= 5, files
    kinds = set()
    compared = 0
    for file in files:
        subprocess.run([dump, "--check", file], check=True)
        subprocess.run([dump, "--stats", file], check=True)
        if file.stat().st_size > MAX_BYTES:
            continue
        out = subprocess.run([dump, "--messages", file], check=True, stdout=subprocess.PIPE,
                             text=True).stdout
        lines = [json.loads(x) for x in out.splitlines()]
        messages = []
        for _, direction, record in recordings.read_records(file.read_bytes()):
            if record["op"] == "message":
                messages.append((direction, record["records"][-1]["values"]))
        assert len(messages) == len(lines), (len(messages), len(lines))
        for line, (direction, values) in zip(lines, messages):
            assert line["direction"] == ("sent", "received")[direction]
            assert json.dumps(line["values"]) == json.dumps(values), line
            kinds.update(line["types"])
            compared += 1
    assert compared > 1000, compared
    assert {"demo::flight", "demo::airport"} <= kinds, kinds
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
