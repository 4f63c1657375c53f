# This file is part of cafwire. See the file LICENSE for license terms.

"""Checks recordings of links with actors of third nodes, with cafwire-dump and with the decoder here:
check_relay.py PROGRAM DUMP"""

import json
import pathlib
import subprocess
import sys
import tempfile

import recordings


def main(program, dump):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder], check=True, timeout=120)
        files = sorted(pathlib.Path(folder).glob("link-*.cafwire"))
        assert len(files) == 3, files
        seen = set()
        for file in files:
            subprocess.run([dump, "--check", file], check=True)
            subprocess.run([dump, "--stats", file], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([dump, "--annotate", file], check=True, stdout=subprocess.DEVNULL)
            out = subprocess.run([dump, file], check=True, stdout=subprocess.PIPE, text=True).stdout
            lines = [x for x in map(json.loads, out.splitlines())
                     if x["kind"] not in ("stream", "types", "type", "signature", "reset")]
            records = list(recordings.read_records(file.read_bytes()))
            assert len(lines) == len(records), (len(lines), len(records))
            for line, (_, _, record) in zip(lines, records):
                assert line["kind"] == record["op"], (line, record)
                for name in ("target", "source", "id", "relayed_target", "relayed_source", "returned",
                             "source_node", "source_id", "seen", "reason", "services"):
                    assert line.get(name) == record.get(name), (name, line, record)
                if record["op"] == "message":
                    values = record["records"][-1]["values"]
                    assert line["values"] == values, (line, record)
                    seen.update(f"handle of {x['of']}, {'number' if 'number' in x else 'id'}"
                                for x in values if isinstance(x, dict) and "of" in x)
                seen.add(record["op"])
                seen.update(x for x in record if x.startswith("relayed") or x == "source_id")
    missing = {"handshake", "message", "monitor", "release", "relayed_target", "relayed_source",
               "source_id", "handle of writer, number", "handle of reader, number",
               "handle of writer, id"} - seen
    assert not missing, missing


if __name__ == "__main__":
    main(*sys.argv[1:])
