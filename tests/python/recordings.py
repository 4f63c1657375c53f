# This file is part of cafwire. See the file LICENSE for license terms.

"""Recordings: section 6 of docs/wire-format.md."""

import struct

from sessions import LinkDirection, Session, make_type
from values import ALIGNMENT, FormatError, Reader
from xxh3 import xxh3

FILE_HEADER_BYTES = 16
CHUNK_HEADER_BYTES = 32
MAGIC = b"cafwrec\n"
STREAM, TYPES, DATA, END = 1, 2, 3, 4
SESSION, LINK = 1, 2


def read_chunks(data):
    """Yields the chunks of a recording."""
    if not data or not MAGIC.startswith(data[:8]):
        raise FormatError("invalid_frame", 0, "no recording")
    header = Reader(data).take(FILE_HEADER_BYTES)
    if header[8:10] != b"\1\0":
        raise FormatError("incompatible_version", 8)
    if any(header[10:]):
        raise FormatError("invalid_frame", 10)
    at = FILE_HEADER_BYTES
    kind = None
    while kind != END:
        reader = Reader(data, at)
        magic, kind, direction, flags, size, stream, time, digest = struct.unpack(
            "<4sBBHIIqQ", reader.take(CHUNK_HEADER_BYTES))
        if magic != b"chnk":
            raise FormatError("invalid_frame", at)
        body = reader.take(size)
        if xxh3(data[at:at + CHUNK_HEADER_BYTES - 8] + body) != digest:
            raise FormatError("invalid_frame", at, "a wrong hash")
        reader.zeros(-size % ALIGNMENT)
        if not STREAM <= kind <= END or direction > (kind == DATA) or flags:
            raise FormatError("invalid_frame", at)
        yield {"kind": kind, "direction": direction, "stream": stream, "time": time, "offset": at,
               "body": body}
        at = reader.at
    if at != len(data):
        raise FormatError("trailing_bytes", at)


def read_stream(body):
    """Reads the body of a chunk that announces a stream: content, known types or not, label."""
    reader = Reader(body)
    content, known = reader.integer(1), reader.integer(1)
    label = reader.text().decode("utf-8", "replace")
    if content not in (SESSION, LINK) or known > 1 or reader.remaining():
        raise FormatError("invalid_tag", 0)
    return content, known == 1, label


def read_types(body):
    """Reads the definitions of all types of the application."""
    reader = Reader(body)
    result = []
    while reader.remaining():
        if reader.take(2) != b"\0\1":
            reader.fail("invalid_definition")
        definition = Reader(reader.text())
        slot, name = definition.varint(), definition.text()
        fingerprint, schema = definition.integer(8), definition.text()
        if slot != 512 + len(result) or definition.remaining():
            reader.fail("invalid_definition")
        result.append(make_type(name.decode("utf-8", "replace"), fingerprint, schema))
    return result


class Stream:
    def __init__(self, body):
        self.content, self.known, self.label = read_stream(body)
        self.types = []
        self.directions = None

    def start(self, types):
        self.types = types
        if self.content == SESSION:
            self.directions = [Session(types if self.known else None) for _ in range(2)]
        else:
            self.directions = [LinkDirection() for _ in range(2)]

    def read(self, direction, body):
        """Returns the records of a chunk."""
        reader = self.directions[direction]
        if self.content == SESSION:
            return list(reader.records(body))
        result = []
        at = 0
        while at < len(body):
            records, at = reader.read(body, at)
            result += records
            hashes = [x.handshake and x.handshake["registry_hash"] for x in self.directions]
            if None not in hashes and self.directions[0].session is None:
                for x in self.directions:
                    x.start(self.types if hashes[0] == hashes[1] else None)
        return result


def read_records(data):
    """Yields stream, direction and record for all that a recording holds."""
    streams = {}
    for chunk in read_chunks(data):
        number = chunk["stream"]
        if chunk["kind"] == STREAM:
            streams[number] = Stream(chunk["body"])
        elif chunk["kind"] == TYPES:
            streams[number].start(read_types(chunk["body"]))
        elif chunk["kind"] == DATA:
            for record in streams[number].read(chunk["direction"], chunk["body"]):
                yield number, chunk["direction"], record


# -- writing -----------------------------------------------------------------------------------------


def varint(x):
    result = b""
    while x >= 0x80:
        result += bytes([x & 0x7F | 0x80])
        x >>= 7
    return result + bytes([x])


def text(x):
    return varint(len(x)) + x


def chunk(kind, body, stream=0, direction=0, time=1_500_000_000_123_456_789):
    head = struct.pack("<4sBBHIIq", b"chnk", kind, direction, 0, len(body), stream, time)
    digest = struct.pack("<Q", xxh3(head + body))
    return head + digest + body + bytes(-len(body) % ALIGNMENT)


def header():
    return MAGIC + b"\1\0" + bytes(6)


def stream_body(content, known, label):
    return bytes([content, known]) + text(label.encode())


def types_body(types):
    result = b""
    for i, x in enumerate(types):
        definition = varint(512 + i) + text(x.name.encode()) \
            + x.fingerprint.to_bytes(8, "little") + text(x.schema)
        result += b"\0\1" + text(definition)
    return result
