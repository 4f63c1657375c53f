# This file is part of cafwire. See the file LICENSE for license terms.

"""Checks the program cafwire-dump with recordings that were made here, out of the vectors."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import recordings
import sessions
import values
from vectors_test import VALUE_FILES, cases_of, exact, from_hex, load, types_of

DUMP = None

# A sanitizer reports with this exit code, and a crash with a negative one.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":exitcode=99"
os.environ["UBSAN_OPTIONS"] = os.environ.get("UBSAN_OPTIONS", "") + ":exitcode=99"


def run(*args, **kwargs):
    return subprocess.run([DUMP, *map(str, args)], capture_output=True, text=True, timeout=120,
                          check=False, **kwargs)


def session_recording():
    """All streams of sessions, one chunk for each message and what stands in front of it."""
    result = recordings.header()
    expected = []
    for number, stream in enumerate(load("session_streams.json")):
        known = "known_types" in stream
        types = list(types_of({"types": stream.get("known_types", {})}).values())
        result += recordings.chunk(
            recordings.STREAM, recordings.stream_body(recordings.SESSION, known, stream["name"]),
            number)
        result += recordings.chunk(recordings.TYPES, recordings.types_body(types), number)
        # Positions count from the begin of a chunk here, so the stream stays in one piece.
        data = b"".join(from_hex(x["bytes"]) for x in stream["records"])
        result += recordings.chunk(recordings.DATA, data, number)
        expected += [(number, x) for x in stream["records"]]
    return result + recordings.chunk(recordings.END, b""), expected


def link_recording(name="conversation"):
    """A link, seen from the side that connects."""
    link = next(x for x in load("links.json") if x["name"] == name)
    result = recordings.header()
    result += recordings.chunk(recordings.STREAM,
                               recordings.stream_body(recordings.LINK, False, "a link"))
    result += recordings.chunk(recordings.TYPES, b"")
    expected = []
    for i in range(max(map(len, link["directions"]))):
        for direction, frames in enumerate(link["directions"]):
            if i < len(frames):
                result += recordings.chunk(recordings.DATA, from_hex(frames[i]["bytes"]),
                                           direction=direction)
                expected += [(direction, x) for x in frames[i]["records"]]
    return result + recordings.chunk(recordings.END, b""), expected


class Dump(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "test.cafwire"

    def dump(self, data, *args):
        self.path.write_bytes(data)
        return run(*args, self.path)

    def lines(self, data, *args):
        result = self.dump(data, *args)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [json.loads(x) for x in result.stdout.splitlines()]

    # -- JSON ----------------------------------------------------------------------------------------

    def test_sessions(self):
        data, expected = session_recording()
        lines = [x for x in self.lines(data) if x["kind"] not in ("stream", "types")]
        self.assertEqual(len(lines), len(expected))
        for line, (number, record) in zip(lines, expected):
            self.assertEqual(line["stream"], number)
            self.assertEqual(line["direction"], "sent")
            self.assertEqual(line["time"], "2017-07-14T02:40:00.123456789Z")
            for name in ("kind", "slot", "name", "fingerprint", "schema", "values"):
                self.assertEqual(exact(line.get(name)), exact(record.get(name)))
            if record["kind"] == "signature":
                self.assertEqual(line["types"], record["types"])
            # The offset is where the record starts.
            start = from_hex(record["bytes"])[:4]
            self.assertTrue(data.startswith(start, line["offset"]))

    def test_links(self):
        for name in ("conversation", "third_nodes"):
            with self.subTest(name=name):
                self.check_link(*link_recording(name))

    def check_link(self, data, expected):
        lines = [x for x in self.lines(data) if x["kind"] not in ("stream", "types")]
        records = []
        for direction, record in expected:
            for inner in record.get("records", [])[:-1]:
                records.append((direction, inner))
            message = record["records"][-1] if "records" in record else {}
            records.append((direction, {**message, **record, "kind": record["op"]}))
        self.assertEqual(len(lines), len(records))
        for line, (direction, record) in zip(lines, records):
            self.assertEqual(line["direction"], ("sent", "received")[direction])
            for name in ("kind", "target", "source", "relayed_target", "relayed_source", "returned",
                         "id", "source_node", "source_id", "seen", "values", "reason", "node",
                         "epoch", "interface", "published", "services"):
                self.assertEqual(exact(line.get(name)), exact(record.get(name)), name)

    def recording_of_values(self, cases):
        """Puts each value into a stream of its own."""
        result = recordings.header()
        for number, case in enumerate(cases):
            text = case["schema"].encode()
            types = list(types_of(case).values())
            result += recordings.chunk(
                recordings.STREAM,
                recordings.stream_body(recordings.SESSION, False, case["name"]), number)
            result += recordings.chunk(recordings.TYPES, recordings.types_body(types), number)
            data = recordings.types_body([sessions.make_type("t", sessions.xxh3(text), text)])
            data += b"\0\2\4\1\1\x80\4"
            payload = from_hex(case["bytes"])
            data += b"\1" + recordings.varint(len(payload))
            if len(payload) >= values.LONG_RUN_BYTES:
                data += bytes(-len(data) % values.ALIGNMENT)
            result += recordings.chunk(recordings.DATA, data + payload, number)
        return result + recordings.chunk(recordings.END, b"")

    def test_values(self):
        cases = cases_of(*VALUE_FILES)
        data = self.recording_of_values(cases)
        lines = self.lines(data, "--messages")
        self.assertEqual(len(lines), len(cases))
        for line, case in zip(lines, cases):
            self.assertEqual(exact(line["values"]), exact([case["value"]]), case["name"])
        self.assertEqual(self.dump(data, "--annotate").returncode, 0)

    def test_invalid_values(self):
        cases = cases_of("invalid.json")
        data = self.recording_of_values(cases)
        result = self.dump(data, "--messages")
        self.assertEqual(result.returncode, 1)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), len(cases))
        for line, case in zip(map(json.loads, lines), cases):
            if case.get("needs_the_type") or case["name"] == "uri_syntax":
                self.assertIn("values", line)
            else:
                self.assertEqual(line.get("error", "").split(":")[0], case["error"], case["name"])
        self.assertEqual(self.dump(data, "--annotate").returncode, 0)

    def test_handles_of_nodes_with_long_names(self):
        for before in range(17):
            # The URI is a long run, so it is aligned from the begin of the message.
            uri = "test://" + 300 * "x"
            head = bytes(before) + b"\1\1\0" + recordings.varint(len(uri))
            payload = head + bytes(-len(head) % values.ALIGNMENT) + uri.encode()
            payload += (7).to_bytes(8, "little")
            case = {"name": "handle", "schema": f"([{before}]i8,actor)", "bytes": payload.hex()}
            line, = self.lines(self.recording_of_values([case]), "--messages")
            handle = {"node": {"index": 0, "value": uri}, "id": 7}
            self.assertEqual(line["values"], [[[0] * before, handle]])

    def test_messages_only(self):
        data, expected = session_recording()
        lines = self.lines(data, "--messages")
        self.assertEqual({x["kind"] for x in lines}, {"message"})
        self.assertEqual(len(lines), sum(x["kind"] == "message" for _, x in expected))
        self.assertEqual(lines[0]["types"], ["session_test::point"])

    def test_types_whose_definitions_have_no_schema(self):
        text = ("{" + ",".join(f"field{i:04}:u8" for i in range(400)) + "}").encode()
        big = sessions.make_type("big", sessions.xxh3(text), text)
        body = recordings.varint(512) + recordings.text(b"big") \
            + big.fingerprint.to_bytes(8, "little") + b"\0"
        stream = b"\0\1" + recordings.text(body) + b"\0\2\4\1\1\x80\4" + b"\1\x90\3"
        stream += bytes(-len(stream) % 16) + bytes(400)
        for types, error in (([], "unknown_type: big: its definition has no schema"),
                             ([big], None)):
            data = recordings.header() + recordings.chunk(
                recordings.STREAM, recordings.stream_body(recordings.SESSION, False, ""))
            data += recordings.chunk(recordings.TYPES, recordings.types_body(types))
            data += recordings.chunk(recordings.DATA, stream)
            data += recordings.chunk(recordings.END, b"")
            result = self.dump(data, "--messages")
            line = json.loads(result.stdout)
            self.assertEqual(line.get("error"), error)
            self.assertEqual(result.returncode, 0 if error is None else 1)
            if error is None:
                self.assertEqual(line["values"], [{f"field{i:04}": 0 for i in range(400)}])
            else:
                self.assertEqual(line["payload"], "00" * 400)

    # -- other forms ---------------------------------------------------------------------------------

    def test_annotate(self):
        for data, _ in (link_recording("third_nodes"), session_recording(), link_recording()):
            result = self.dump(data, "--annotate")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            seen = 0
            for line in result.stdout.splitlines():
                match = re.fullmatch(r"([0-9a-f]{8})  ((?:[0-9a-f]{2} )*)(?:\.\.\. (\d+) bytes )? *(.+)",
                                     line)
                self.assertIsNotNone(match, line)
                shown = bytes.fromhex(match[2])
                self.assertTrue(data.startswith(shown, int(match[1], 16)), line)
                seen += int(match[3] or len(shown))
            # All but headers of chunks and zero bytes behind them.
            bodies = sum(len(x["body"]) for x in recordings.read_chunks(data))
            self.assertLess(bodies - seen, 150)
            self.assertLessEqual(seen, bodies)
        self.assertIn("message, target 7, source 12", result.stdout)

    def test_annotated_fields(self):
        data, _ = session_recording()
        out = self.dump(data, "--annotate").stdout
        self.assertIn("02 00 00 00", out)
        self.assertRegex(out, r"ff ff ff ff +z: i32 = -1")
        self.assertRegex(out, r"values: seq\(f64\), length 32")

    def test_check(self):
        for data, _ in (session_recording(), link_recording(), link_recording("third_nodes")):
            result = self.dump(data, "--check")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_annotated_records(self):
        data, _ = link_recording("third_nodes")
        out = self.dump(data, "--annotate").stdout
        self.assertRegex(out, r"99 07 01 5.* message, target 7, source 1 of a third node, id ")
        self.assertRegex(out, r"09 00 00 00 00 00 00 00 +source: id: u64 = 9")
        self.assertRegex(out, r"46 01 03 +release, target 1 of a third node, records seen: 3")
        self.assertRegex(out, r"05 01 +.*handle with tag 5, number 1")
        self.assertRegex(out, r"b9 07 01 .* source 1 of a third node of the reader")

    def test_stats(self):
        for name, row in (("conversation", r" 2 +14  int32_t, std::string\n"),
                          ("third_nodes", r" 5 +100  caf::actor\n")):
            with self.subTest(name=name):
                data, expected = link_recording(name)
                out = self.dump(data, "--stats").stdout
                self.check_stats(data, expected, out)
                self.assertRegex(out, row)

    def check_stats(self, data, expected, out):
        rows = dict(re.findall(r"^(\w+) +(\d+) ", out, re.MULTILINE))
        self.assertEqual(int(rows["messages"]), sum("records" in x for _, x in expected))
        chunks = [x for x in recordings.read_chunks(data) if x["kind"] == recordings.DATA]
        self.assertEqual(int(rows["frames"]), len(chunks))
        total = int(re.search(r"all streams +(\d+)", out)[1])
        self.assertEqual(total, sum(len(x["body"]) for x in chunks))
        parts = [int(x) for x in re.findall(r"^(?:messages|definitions|frames) +\d+ +(\d+)", out,
                                            re.MULTILINE)]
        self.assertEqual(sum(parts), total)

    # -- damage --------------------------------------------------------------------------------------

    def test_damage_of_every_byte(self):
        data, _ = link_recording()
        whole = self.lines(data, "--messages")
        for at in range(len(data)):
            damaged = bytearray(data)
            damaged[at] ^= 0x41
            result = self.dump(bytes(damaged), "--resync", "--messages")
            self.assertEqual(result.returncode, 1, at)
            self.assertIn("offset", result.stderr)
            # Nothing is made up.
            for line in map(json.loads, result.stdout.splitlines()):
                self.assertIn(line.get("values"), [x["values"] for x in whole] + [None])

    def test_cuts(self):
        data, _ = session_recording()
        for size in range(0, len(data), 7):
            result = self.dump(data[:size])
            self.assertEqual(result.returncode, 1, size)
            self.assertIn("unexpected_end" if size else "invalid_frame", result.stderr)

    def test_resync(self):
        data, expected = link_recording()
        chunks = list(recordings.read_chunks(data))
        # A frame in the middle.
        at = chunks[6]["offset"] + 40
        damaged = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
        result = self.dump(damaged, "--messages")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"offset {chunks[6]['offset']}", result.stderr)
        before = len(result.stdout.splitlines())
        result = self.dump(damaged, "--messages", "--resync")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"going on at offset {chunks[7]['offset']}", result.stderr)
        self.assertGreater(len(result.stdout.splitlines()), before)

    def test_damaged_streams_in_whole_chunks(self):
        # The hash of the chunk is right, what the stream says is not.
        for stream in load("session_streams.json"):
            if stream["name"] in ("learned", "core_types", "reset"):
                with self.subTest(stream=stream["name"]):
                    self.damage_stream(stream)

    def damage_stream(self, stream):
        data = b"".join(from_hex(x["bytes"]) for x in stream["records"])
        head = recordings.header() + recordings.chunk(
            recordings.STREAM, recordings.stream_body(recordings.SESSION, False, ""))
        head += recordings.chunk(recordings.TYPES, b"")
        for at in range(len(data)):
            for bit in (0x01, 0x80):
                damaged = bytearray(data)
                damaged[at] ^= bit
                recording = head + recordings.chunk(recordings.DATA, bytes(damaged)) \
                    + recordings.chunk(recordings.END, b"")
                result = self.dump(recording, "--check")
                self.assertIn(result.returncode, (0, 1), (at, bit))
                problem = None
                try:
                    for record in sessions.Session().records(bytes(damaged)):
                        if "error" in record:
                            problem = record["error"]
                            break
                except values.FormatError as error:
                    problem = error.name
                # Both decoders agree on what makes sense.
                self.assertEqual(result.returncode, 0 if problem is None else 1,
                                 (at, bit, problem, result.stderr))

    def test_damaged_links_in_whole_chunks(self):
        data, _ = link_recording()
        chunks = list(recordings.read_chunks(data))
        for i, chunk in enumerate(chunks):
            # Handshakes and the first frames behind them.
            if chunk["kind"] != recordings.DATA or i > 6:
                continue
            for at in range(len(chunk["body"])):
                damaged = bytearray(chunk["body"])
                damaged[at] ^= 0x05
                recording = recordings.header()
                for k, x in enumerate(chunks):
                    recording += recordings.chunk(x["kind"], bytes(damaged) if k == i else x["body"],
                                                  direction=x["direction"])
                for mode in ("--check", "--annotate"):
                    result = self.dump(recording, mode, "--resync")
                    self.assertIn(result.returncode, (0, 1), (i, at, mode))

    def test_definitions_that_were_lost(self):
        point = load("session_streams.json")[0]["records"]
        head = recordings.chunk(recordings.STREAM,
                                recordings.stream_body(recordings.SESSION, False, "x"))
        head += recordings.chunk(recordings.TYPES, b"")
        lost = recordings.chunk(recordings.DATA, from_hex(point[0]["bytes"]))
        lost = lost[:-20] + bytes([lost[-20] ^ 1]) + lost[-19:]
        # A signature with a type that was lost, one with types of the format, one far away.
        data = b"\0\2\4\1\1\x80\4" + b"\1\x0c" + bytes(12) \
            + b"\0\2\3\2\1\6" + b"\2\4" + bytes(4) \
            + b"\0\2\5\xff\xff\3\1\6" + b"\xff\xff\3\4" + bytes(4)
        recording = recordings.header() + head + lost + recordings.chunk(recordings.DATA, data) \
            + recordings.chunk(recordings.END, b"")
        result = self.dump(recording, "--messages", "--resync")
        lines = [json.loads(x) for x in result.stdout.splitlines()]
        self.assertEqual(result.returncode, 1)
        self.assertIn("a lost type", lines[0]["error"])
        self.assertEqual([x["values"] for x in lines[1:]], [[0], [0]])
        # Without a loss, that makes no sense.
        recording = recordings.header() + head + recordings.chunk(recordings.DATA, data) \
            + recordings.chunk(recordings.END, b"")
        result = self.dump(recording, "--messages")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("unknown_slot", result.stderr)

    def test_hostile_schemas(self):
        deep = 200
        cases = {
            "a;a{x:a}": "00",
            "a;a{x:seq(a)}": "01 " * deep,
            "a;a{x:shared(a)}": "01 " * deep,
            "{x:seq(^1)}": "01 " * deep,
            "seq(" * 120 + "u8" + ")" * 120: "01 " * 130,
            "opt(" * 4000: "00",
            "[4294967295]()": "",
            "[18446744073709551615]u8": "00",
            "[99999999999999999999999]u8": "00",
            "[65535][65535][65535][65535]()": "",
            "seq(())": "ff ff ff ff 0f",
            "seq([65535]())": "ff ff 03",
            "bits(18446744073709551615)": "00",
            "bits": "ff ff ff ff ff ff ff ff ff 01",
            "seq(u128)": "ff ff ff ff ff ff ff ff ff 01",
            "var()": "00", "any()": "00", "?": "00", "seq(?)": "01 00", "map(?)": "01 00",
            "unsupported": "00", "caf::whatever": "00", "a": "00", "(((": "00",
            "duration(i64,0/0)": "00*8", "enum(bool)": "02", "enum(u8,u8)": "00",
            "caf::config_value": "07 01 " * deep + "00",
            "caf::message": "01 23 " * deep + "00",
            "caf::error": "01 29 01 19 " * deep + "00",
        }
        for text, payload in cases.items():
            with self.subTest(schema=text[:40]):
                data = self.recording_of_values(
                    [{"name": "x", "schema": text, "bytes": payload}])
                for mode in ("--messages", "--annotate", "--check", "--stats"):
                    result = self.dump(data, mode)
                    self.assertIn(result.returncode, (0, 1))
                self.assertEqual(self.dump(data, "--check").returncode, 1)

    def test_invalid_links(self):
        for case in load("links_invalid.json"):
            with self.subTest(name=case["name"]):
                data = recordings.header() + recordings.chunk(
                    recordings.STREAM, recordings.stream_body(recordings.LINK, False, ""))
                data += recordings.chunk(recordings.TYPES, b"")
                data += recordings.chunk(recordings.DATA, from_hex(case["bytes"]))
                data += recordings.chunk(recordings.END, b"")
                result = self.dump(data, "--check")
                # A recording may hold frames that a peer would not accept.
                expected = 0 if case["error"] == "" else 1
                self.assertEqual(result.returncode, expected)
                self.assertRegex(result.stderr, "offset [0-9]+: ")

    # -- the program ---------------------------------------------------------------------------------

    def test_usage(self):
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("--check", "--stats", "x").returncode, 2)
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--annotate", result.stdout)
        result = run("/nowhere/at/all")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot_open_file", result.stderr)
        self.assertEqual(run(self.folder.name).returncode, 1)

    def test_output_that_is_closed(self):
        data, _ = session_recording()
        self.path.write_bytes(data)
        result = subprocess.run(["sh", "-c", 'exec "$0" "$1" >&-', DUMP, str(self.path)],
                                capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write the output", result.stderr)
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([DUMP, str(self.path)], stdout=full, stderr=subprocess.PIPE,
                                    text=True, timeout=120, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write the output", result.stderr)


if __name__ == "__main__":
    DUMP = sys.argv.pop(1)
    unittest.main()
