# This file is part of cafwire. See the file LICENSE for license terms.

"""Checks the dissector for Wireshark with captures that were made here, out of the vectors:
wireshark_test.py TSHARK SCRIPT"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

from vectors_test import from_hex, load

TSHARK = None
SCRIPT = None

CLIENT, SERVER = (0x0A000001, 40000), (0x0A000002, 50000)


def packet(source, target, sequence, data):
    """Returns an IPv4 packet with a TCP segment."""
    tcp = struct.pack(">HHIIBBHHH", source[1], target[1], sequence, 1, 0x50, 0x18, 65535, 0, 0) + data
    return struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, source[0],
                       target[0]) + tcp


def capture(pieces):
    """Returns a capture file of pieces of both directions of a connection."""
    result = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)  # raw IP
    sequences = [1, 1]
    ends = [CLIENT, SERVER]
    for i, (direction, data) in enumerate(pieces):
        frame = packet(ends[direction], ends[1 - direction], sequences[direction], data)
        sequences[direction] += len(data)
        result += struct.pack("<IIII", i, 0, len(frame), len(frame)) + frame
    return result


def frame(kind, sequence, body, epoch=0x55667788):
    return struct.pack("<IBBHII", len(body), kind, 0, 0, epoch, sequence) + body \
        + bytes(-len(body) % 16)


def values_of(layer, name):
    """Returns all values of a field, wherever it stands."""
    result = []
    if isinstance(layer, list):
        for x in layer:
            result += values_of(x, name)
    elif isinstance(layer, dict):
        for key, value in layer.items():
            if key == name:
                result += value if isinstance(value, list) else [value]
            else:
                result += values_of(value, name)
    return result


class Dissector(unittest.TestCase):
    def run_tshark(self, data, *args):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "test.pcap"
            path.write_bytes(data)
            # Twice, as Wireshark does: the second time must show the same.
            result = subprocess.run([TSHARK, "-X", f"lua_script:{SCRIPT}", "-2", "-r", str(path), *args],
                                    capture_output=True, text=True, timeout=120, check=False,
                                    env={"HOME": folder, "PATH": "/usr/bin:/bin"})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("rror", result.stderr.replace("Running as user", ""))
        return result.stdout

    def layers(self, data):
        packets = json.loads(self.run_tshark(data, "-T", "json", "--no-duplicate-keys"))
        return [x["_source"]["layers"].get("cafwire") for x in packets]

    def conversation(self, index=0):
        """The frames of a link in the vectors, in an order in which they may travel."""
        link = load("links.json")[index]
        result = []
        for i in range(max(map(len, link["directions"]))):
            for direction, frames in enumerate(link["directions"]):
                if i < len(frames):
                    result.append((direction, frames[i]))
        return result

    def test_conversation(self):
        layers = self.check_conversation(0)
        types = [values_of(x, "cafwire.message.types") for x in layers]
        self.assertEqual(types[2], ["int32_t, std::string"])
        self.assertEqual(types[4], ["int32_t, std::string", "caf::actor"])
        self.assertEqual(values_of(layers[2], "cafwire.message.payload"), ["05:00:00:00:02:61:62"])

    def test_third_nodes(self):
        layers = self.check_conversation(2)
        self.assertEqual(values_of(layers[1], "cafwire.handshake.services"), ["4"])
        ids = [x for layer in layers for x in values_of(layer, "cafwire.record.source_id")]
        self.assertEqual(len(ids), 6)
        self.assertEqual(set(ids), {"9", "300"})

    def check_conversation(self, index):
        frames = self.conversation(index)
        layers = self.layers(capture([(d, from_hex(x["bytes"])) for d, x in frames]))
        self.assertEqual(len(layers), len(frames))
        for layer, (_, expected) in zip(layers, frames):
            self.assertIsNotNone(layer, expected["note"])
            self.assertEqual(values_of(layer, "cafwire.malformed"), [])
            records = expected["records"]
            if records[0]["op"] == "handshake":
                hello = records[0]
                self.assertEqual(values_of(layer, "cafwire.handshake.epoch"),
                                 [f"0x{hello['epoch']:016x}"])
                self.assertEqual(values_of(layer, "cafwire.handshake.registry_hash"),
                                 [f"0x{hello['registry_hash']:016x}"])
                self.assertEqual(values_of(layer, "cafwire.handshake.published"),
                                 [str(hello["published"])])
                self.assertEqual(values_of(layer, "cafwire.handshake.interface"),
                                 hello["interface"])
                self.assertEqual(values_of(layer, "cafwire.handshake.services"),
                                 [str(hello["services"])])
                continue
            self.assertEqual(values_of(layer, "cafwire.record.target"),
                             [str(x["target"]) for x in records])
            self.assertEqual(values_of(layer, "cafwire.record.source"),
                             [str(x["source"]) for x in records if "source" in x])
            for name in ("relayed_target", "relayed_source", "returned"):
                self.assertEqual(len(values_of(layer, f"cafwire.record.{name}")),
                                 sum(name in x for x in records), name)
            for name in ("seen", "source_id"):
                self.assertEqual(values_of(layer, f"cafwire.record.{name}"),
                                 [str(x[name]) for x in records if name in x])
            self.assertEqual(values_of(layer, "cafwire.record.request"),
                             [str(x["id"] & (1 << 60) - 1) for x in records if "id" in x])
            messages = [x["records"][-1] for x in records if "records" in x]
            self.assertEqual(values_of(layer, "cafwire.message.signature"),
                             [str(x["signature"]) for x in messages])
        return layers

    def test_authentication(self):
        frames = self.conversation(1)
        layers = self.layers(capture([(d, from_hex(x["bytes"])) for d, x in frames]))
        for layer, (_, expected) in zip(layers, frames):
            self.assertEqual(values_of(layer, "cafwire.malformed"), [], expected["note"])
            self.assertEqual(values_of(layer, "cafwire.out_of_order"), [], expected["note"])
        records = [x["records"][0] for _, x in frames]
        self.assertEqual([values_of(x, "cafwire.authentication.role") for x in layers[:2]],
                         [["1"], ["2"]])
        for layer, record in zip(layers[2:4], records[2:4]):
            self.assertEqual([x.replace(":", "") for x
                              in values_of(layer, "cafwire.authentication.mac")], [record["mac"]])
        self.assertEqual(values_of(layers[6], "cafwire.record.target"), ["7"])

    def test_frames_in_many_segments(self):
        frames = self.conversation()
        for size in (1, 7, 100):
            pieces = []
            for direction in (0, 1):
                data = b"".join(from_hex(x["bytes"]) for d, x in frames if d == direction)
                # The handshake is recognized in the first segment.
                first = len(from_hex(frames[direction][1]["bytes"]))
                pieces.append((direction, data[:first]))
                pieces += [(direction, data[i:i + size]) for i in range(first, len(data), size)]
            out = self.run_tshark(capture(pieces), "-Y", "cafwire", "-T", "fields", "-e",
                                  "cafwire.sequence")
            self.assertEqual(sorted(out.replace(",", "\n").split()), sorted("0123401234"))

    def test_definitions(self):
        stream = load("session_streams.json")[0]
        body = b"".join((b"\1\7" if x["kind"] in ("type", "message") and (
            i == 0 or stream["records"][i - 1]["kind"] == "message") or
            x["kind"] == "signature" and stream["records"][i - 1]["kind"] == "message" else b"")
            + from_hex(x["bytes"]) for i, x in enumerate(stream["records"]))
        hello = from_hex(self.conversation()[0][1]["bytes"])
        data = capture([(0, hello), (0, frame(2, 1, body)), (0, frame(2, 3, b"\2\7")),
                        (0, frame(2, 4, b"\1\7\7\0"))])
        layers = self.layers(data)
        self.assertEqual(values_of(layers[1], "cafwire.type.name"), ["session_test::point"])
        self.assertEqual(values_of(layers[1], "cafwire.type.slot"), ["512"])
        self.assertEqual(values_of(layers[1], "cafwire.type.fingerprint"),
                         ["0x" + stream["records"][0]["fingerprint"]])
        self.assertEqual(values_of(layers[1], "cafwire.type.schema"),
                         [stream["records"][0]["schema"]])
        self.assertEqual(values_of(layers[1], "cafwire.message.types"),
                         ["session_test::point", "session_test::point",
                          "session_test::point, int32_t", "session_test::point"])
        # Frame 2 is missing, and the last one uses a signature that nobody has defined.
        text = self.run_tshark(data, "-V")
        self.assertIn("Frame 3 instead of 2", text)
        self.assertIn("signature 7 was not defined in this capture", text)

    def test_damage(self):
        self.damage(0, 2)
        # The source lives on a third node.
        self.damage(2, 4)

    def damage(self, index, number):
        frames = self.conversation(index)
        hello = from_hex(frames[0][1]["bytes"])
        message = from_hex(frames[number][1]["bytes"])
        pieces = [(0, hello)]
        for at in range(16, len(message)):
            damaged = bytearray(message)
            damaged[at] ^= 0x55
            pieces.append((0, bytes(damaged)))
        # Everything is shown, and nothing makes the script fail.
        out = self.run_tshark(capture(pieces), "-Y", "cafwire", "-T", "fields", "-e",
                              "cafwire.sequence", "-e", "_ws.lua.error")
        self.assertEqual(len(out.splitlines()), len(pieces))
        self.assertEqual({x.strip() for x in out.splitlines()}, {"0", str(number // 2)})

    def test_other_protocols(self):
        pieces = [(0, b"GET / HTTP/1.1\r\n\r\n"), (1, b"HTTP/1.1 200 OK\r\n\r\n")]
        self.assertEqual(self.run_tshark(capture(pieces), "-Y", "cafwire"), "")


if __name__ == "__main__":
    SCRIPT = sys.argv.pop(2)
    TSHARK = sys.argv.pop(1)
    unittest.main()
