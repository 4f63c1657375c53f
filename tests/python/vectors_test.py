# This file is part of cafwire. See the file LICENSE for license terms.

"""Checks that a decoder that was written from docs/wire-format.md alone reads all vectors."""

import json
import pathlib
import re
import sys
import unittest

import recordings
import schema
import sessions
import values

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors" / "v1"


def load(name):
    return json.loads((VECTORS / name).read_text())


def from_hex(text):
    """Reads bytes: `xx*n` stands for n bytes `xx`."""
    result = b""
    for byte, count in re.findall(r"([0-9a-f]{2})(?:\*([0-9]+))?", text):
        result += bytes.fromhex(byte) * int(count or 1)
    return result


def types_of(case):
    """Returns the types of the application that a case needs, by name."""
    return {name: sessions.make_type(name, sessions.xxh3(text.encode()), text.encode())
            for name, text in case.get("types", {}).items()}


def exact(value):
    """Returns a text that differs where values do, signs of zeros included."""
    return json.dumps(value)


VALUE_FILES = ("numbers.json", "strings.json", "containers.json", "structs.json", "caf_types.json")


def cases_of(*files):
    return [case for file in files for case in load(file)]


class Values(unittest.TestCase):
    def test_values(self):
        for case in cases_of(*VALUE_FILES):
            with self.subTest(name=case["name"]):
                node = schema.parse(case["schema"])
                data = from_hex(case["bytes"])
                types = types_of(case)
                self.assertEqual(exact(values.decode(node, data, types)), exact(case["value"]))
                self.assertLessEqual(node.min_size(), len(data))
                self.assertIn(node.fixed_size(), (None, len(data)))
                # Neither less nor more.
                for size in range(len(data)):
                    with self.assertRaises(values.FormatError):
                        values.decode(node, data[:size], types)
                with self.assertRaises(values.FormatError) as raised:
                    values.decode(node, data + b"\0", types)
                self.assertEqual(raised.exception.name, "trailing_bytes")

    def test_values_of_other_versions(self):
        for case in load("evolution.json"):
            with self.subTest(name=case["name"]):
                for kind in ("schema", "reader_schema"):
                    self.assertEqual(schema.to_text(schema.parse(case[kind])), case[kind])
                values.decode(schema.parse(case["schema"]), from_hex(case["bytes"]))
                if "reader_bytes" in case:
                    values.decode(schema.parse(case["reader_schema"]),
                                  from_hex(case["reader_bytes"]))

    def test_schemas(self):
        for case in cases_of(*VALUE_FILES, "invalid.json"):
            with self.subTest(name=case["name"]):
                self.assertEqual(schema.to_text(schema.parse(case["schema"])), case["schema"])

    def test_all_kinds_are_covered(self):
        seen = set()

        def note(node):
            if node in seen:
                return
            seen.add(node)
            for child in node.children:
                note(child)

        for case in cases_of(*VALUE_FILES):
            with self.subTest(name=case["name"]):
                note(schema.parse(case["schema"]))
        kinds = {x.kind for x in seen}
        self.assertEqual(kinds, {
            "number", "enum", "duration", "time_point", "array", "tuple", "struct", "opt", "var",
            "seq", "set", "uset", "map", "umap", "bits", "shared", "weak", "any", "actor",
            "special"})
        numbers = {x.name for x in seen if x.kind == "number"}
        self.assertEqual(numbers, set(schema.NUMBERS))
        special = {x.name for x in seen if x.kind == "special"}
        self.assertEqual(special - {"caf::ok_atom"},
                         {*schema.ENCODINGS, *schema.SELF_DESCRIBING})

    def test_invalid_values(self):
        for case in cases_of("invalid.json"):
            with self.subTest(name=case["name"]):
                node = schema.parse(case["schema"])
                data = from_hex(case["bytes"])
                if case.get("needs_the_type"):
                    # The schema alone does not tell what is wrong.
                    values.decode(node, data)
                    continue
                with self.assertRaises(values.FormatError) as raised:
                    values.decode(node, data, types_of(case))
                self.assertEqual(raised.exception.name, case["error"])

    def test_slots_of_the_format(self):
        slots = load("core_slots.json")
        self.assertEqual(len(slots) + 1, len(values.CORE_TYPES))
        for case in slots:
            self.assertEqual(values.CORE_TYPES[case["slot"]], (case["name"], case["schema"]))


DOCUMENT = VECTORS.parents[2] / "docs" / "wire-format.md"


class Document(unittest.TestCase):
    def test_encodings_of_types_of_caf(self):
        rows = re.findall(r"^(caf::\w+) +(\S+)$", DOCUMENT.read_text(), re.MULTILINE)
        self.assertEqual(dict(rows), schema.ENCODINGS)

    def test_example_of_a_recording(self):
        text = DOCUMENT.read_text().split("### 6.1 Example")[1]
        rows = re.findall(r"^\| `([0-9a-f* ]+)` \|", text, re.MULTILINE)
        vector = next(x for x in load("recordings.json") if x["name"] == "session")
        self.assertEqual(b"".join(map(from_hex, rows)).hex(), from_hex(vector["bytes"]).hex())

    def test_names_of_errors(self):
        code = (VECTORS.parents[2] / "lib" / "cafwire" / "wire" / "error.hpp").read_text()
        names = set(re.findall(r"^  (\w+)(?: = 0)?,$", code, re.MULTILINE))
        for name in re.findall(r"\[((?:`\w+`(?:,\s+)?)+)\]", DOCUMENT.read_text()):
            for each in re.findall(r"`(\w+)`", name):
                self.assertIn(each, names)


def chain(length):
    """Returns the schema of structs with names, each of which holds the next one."""
    last = f";s{length - 1}" + "{x:i8}"
    return "s0" + "".join(f";s{i}" + "{" + f"x:s{i + 1}" + "}" for i in range(length - 1)) + last


class Schemas(unittest.TestCase):
    def test_what_is_no_schema(self):
        for text in ("", "(", "[", "[1]", "[x]u8", "{", "{x:}", "{x:u8", "{x:u8,}", "seq()",
                     "seq(u8", "seq(u8))", "map(u8)", "opt(u8,u8)", "^1", "{x:^2}", "{x:^0}",
                     "bits(", "bits(x)", "enum()", "duration(i64)", "duration(i64,1/)", "foo(u8)",
                     "any()", "u8;u8{x:u8}", "\\u8", "\\u8x;\\u8x{}", "a;b{x:u8}", "a;a{x:u8};a{x:u8}", "a\\", "a\\b",
                     "\\a;\\a{}", "\\", "{\\x:i8}", "{\\i8:i8}", "{x\\y?:i8}", "any(\\i8:i8)",
                     "a\\:;a\\:{\\bits?:i8}", "\\i8x;\\i8x{}", "i8\\", "seq(\\u9)",
                     "u8u8}", "(" * 10000, 128 * "opt(" + "i8" + 128 * ")", chain(128)):
            with self.subTest(text=text[:20]):
                with self.assertRaises(schema.SchemaError):
                    schema.parse(text)

    def test_texts(self):
        for text in ("{caf::uri,i32}", "{x:caf::uri,y?:caf::error}", "a;a{x:opt(a)}",
                     "{a:b};b{c:seq(^1)}", "{a:{b:seq(^2),c:seq(^1)}}", "a\\:b;a\\:b{}",
                     127 * "opt(" + "i8" + 127 * ")", chain(127),
                     "seq(?)", "map(?)", "?", "unsupported", "()", "{()}", "a;a{b:b,c:c};b{c:c};c{}",
                     "{i8:\\i8,u8:u8};\\i8{i8:i8,x:opt(\\i8)}", "(bits,\\bits);\\bits{}"):
            with self.subTest(text=text):
                self.assertEqual(schema.to_text(schema.parse(text)), text)


class Sessions(unittest.TestCase):
    def streams(self):
        return [(x, list(types_of({"types": x["known_types"]}).values())
                 if "known_types" in x else None) for x in load("session_streams.json")]

    def test_streams(self):
        for stream, known in self.streams():
            session = sessions.Session(known)
            data = b""
            for expected in stream["records"]:
                start = len(data)
                data += from_hex(expected["bytes"])
                reader = values.Reader(data, start)
                record = session.record(reader, 0)
                self.assertEqual(reader.remaining(), 0)
                for name, value in record.items():
                    self.assertEqual(exact(value), exact(expected[name]))

    def test_streams_that_end_early(self):
        for stream, known in self.streams():
            data = b"".join(from_hex(x["bytes"]) for x in stream["records"])
            ends = [0]
            for x in stream["records"]:
                ends.append(ends[-1] + len(from_hex(x["bytes"])))
            for size in range(len(data)):
                name = None
                try:
                    list(sessions.Session(known).records(data[:size]))
                except values.FormatError as error:
                    name = error.name
                self.assertEqual(name, None if size in ends else "unexpected_end")

    def test_invalid_streams(self):
        for case in load("session_invalid.json"):
            with self.subTest(name=case["name"]):
                with self.assertRaises(values.FormatError) as raised:
                    list(sessions.Session().records(from_hex(case["bytes"])))
                self.assertEqual(raised.exception.name, case["error"])


class Links(unittest.TestCase):
    def receive(self, directions):
        """Reads two directions of a link frame by frame. Returns the records of each frame."""
        readers = [sessions.LinkDirection() for _ in directions]
        results = []
        for reader, frames in zip(readers, directions):
            results.append([])
            data = b""
            for frame in frames:
                at = len(data)
                data += frame
                records, end = reader.read(data, at)
                self.assertEqual(end, len(data))
                results[-1].append(records)
                if reader.handshake is not None and reader.session is None:
                    reader.start()
        return results

    def test_conversations(self):
        for link in load("links.json"):
            with self.subTest(name=link["name"]):
                directions = [[from_hex(frame["bytes"]) for frame in frames]
                              for frames in link["directions"]]
                expected = [[frame["records"] for frame in frames] for frames in link["directions"]]
                self.assertEqual(exact(self.receive(directions)), exact(expected))

    def test_proofs_of_a_key(self):
        links = [x for x in load("links.json") if "key" in x]
        self.assertEqual(len(links), 1)
        for link in links:
            key = from_hex(link["key"])
            frames = [[from_hex(x["bytes"]) for x in y[:2]] for y in link["directions"]]
            challenges = [x[0][16:16 + sessions.CHALLENGE_BYTES] for x in frames]
            for role, (_, proof) in zip(("connecting", "accepting"), frames):
                mac = sessions.proof(key, role, *challenges)
                self.assertEqual(proof[17:17 + len(mac)].hex(), mac.hex())
                # The example of the document.
                self.assertIn(f"`{mac.hex()}`", DOCUMENT.read_text())

    def test_invalid_links(self):
        for case in load("links_invalid.json"):
            with self.subTest(name=case["name"]):
                data = from_hex(case["bytes"])
                reader = sessions.LinkDirection()
                at = 0
                with self.assertRaises(values.FormatError) as raised:
                    while at < len(data):
                        _, at = reader.read(data, at)
                        if reader.handshake is not None and reader.session is None:
                            reader.start()
                self.assertEqual(raised.exception.name, case["error"])


class Recordings(unittest.TestCase):
    def test_recordings(self):
        for case in load("recordings.json"):
            with self.subTest(name=case["name"]):
                data = from_hex(case["bytes"])
                chunks = list(recordings.read_chunks(data))
                self.assertEqual([{name: x[name] for name in y}
                                  for x, y in zip(chunks, case["chunks"])],
                                 [dict(x, body=from_hex(x["body"])) for x in case["chunks"]])
                self.assertEqual(len(chunks), len(case["chunks"]))
                # Everything in it makes sense.
                for _, _, record in recordings.read_records(data):
                    self.assertNotIn("error", record)

    def test_invalid_recordings(self):
        for case in load("recordings_invalid.json"):
            with self.subTest(name=case["name"]):
                with self.assertRaises(values.FormatError) as raised:
                    list(recordings.read_chunks(from_hex(case["bytes"])))
                self.assertEqual(raised.exception.name, case["error"])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
