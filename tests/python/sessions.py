# This file is part of cafwire. See the file LICENSE for license terms.

"""Sessions, frames and links: sections 3 to 5 of docs/wire-format.md."""

import hmac

from schema import SchemaError, parse
from values import (ALIGNMENT, LONG_RUN_BYTES, Decoder, FormatError, Reader, Type, core_type,
                    read_number)
from xxh3 import xxh3

FIRST_SLOT = 512
MAX_TYPE_SLOTS = 4096
MAX_SIGNATURE_SLOTS = 65536
MAX_DEFINITION_BYTES = 4096
MAX_FRAME_BYTES = 64 << 20
MAX_HANDSHAKE_BYTES = 256 << 10
FRAME_HEADER_BYTES = 16
AUTHENTICATION = 3
CHALLENGE_BYTES = 54
PROOF_BYTES = 33
REFUSAL_BYTES = 1


def make_type(name, fingerprint, schema, known=()):
    """Makes a type from its definition. `known` are types that may have the schema."""
    if not schema:
        for other in known:
            if (other.name, other.fingerprint) == (name, fingerprint) and other.schema:
                return other
        result = Type(name, None, "its schema was left out")
    else:
        if xxh3(schema) != fingerprint:
            raise FormatError("invalid_definition", text="the fingerprint of another schema")
        try:
            result = Type(name, parse(schema.decode()))
        except (SchemaError, UnicodeDecodeError) as error:
            result = Type(name, None, f"no schema: {error}")
    result.fingerprint = fingerprint
    result.schema = schema
    return result


def registry_hash(types):
    """Returns the hash of the types of an application (3.6)."""
    text = b""
    for x in sorted(types, key=lambda x: x.name.encode()):
        name = x.name.encode()
        text += _varint(len(name)) + name + x.fingerprint.to_bytes(8, "little")
    return xxh3(text)


def _varint(x):
    result = b""
    while x >= 0x80:
        result += bytes([x & 0x7F | 0x80])
        x >>= 7
    return result + bytes([x])


class Session:
    """Reads one direction of a stream of messages. With `known`, the types of the application, both
    sides hold them, and the stream defines only others."""

    def __init__(self, known=None):
        self.known = None if known is None else sorted(known, key=lambda x: x.name.encode())
        self.reset()

    def reset(self):
        self.types = list(self.known or [])
        self.signatures = []

    def records(self, data, start=0, end=None):
        """Yields the records of a buffer, whose begin is where positions count from."""
        reader = Reader(data, start, end)
        while reader.remaining():
            yield self.record(reader, start)

    def record(self, reader, start):
        """Reads a record. Input that ends early raises `unexpected_end`."""
        slot = reader.varint()
        if slot != 0:
            return self.message(reader, start, slot)
        kind = reader.integer(1)
        if kind == 3:
            self.reset()
            return {"kind": "reset"}
        size = reader.varint()
        if size > MAX_DEFINITION_BYTES:
            reader.fail("invalid_definition", f"{size} bytes")
        body = Reader(reader.take(size))
        try:
            if kind == 1:
                result = self.define_type(body)
            elif kind == 2:
                result = self.define_signature(body)
            else:
                body.fail("invalid_definition", f"no kind {kind}")
            if body.remaining():
                body.fail("invalid_definition", "bytes behind the definition")
        except FormatError as error:
            if error.name in ("unexpected_end", "invalid_varint", "length_exceeds_input"):
                raise FormatError("invalid_definition", text=str(error)) from error
            raise
        return result

    def define_type(self, body):
        slot = body.varint()
        name = body.text()
        fingerprint = body.integer(8)
        schema = body.text()
        if slot != FIRST_SLOT + len(self.types) or not name:
            body.fail("invalid_definition")
        if len(self.types) - len(self.known or []) >= MAX_TYPE_SLOTS:
            body.fail("table_full")
        result = make_type(name.decode("utf-8", "replace"), fingerprint, schema)
        self.types.append(result)
        return {"kind": "type", "slot": slot, "name": result.name,
                "fingerprint": f"{fingerprint:016x}", "schema": schema.decode("utf-8", "replace")}

    def define_signature(self, body):
        slot = body.varint()
        count = body.varint()
        if slot != len(self.signatures) + 1 or count > min(65535, body.remaining()):
            body.fail("invalid_definition")
        if len(self.signatures) >= MAX_SIGNATURE_SLOTS:
            body.fail("table_full")
        slots = [body.varint() for _ in range(count)]
        types = []
        for x in slots:
            if x == 0:
                body.fail("invalid_definition")
            if x < FIRST_SLOT:
                types.append(core_type(x) or Type(f"slot {x}", None, "a later version has it"))
            elif x - FIRST_SLOT < len(self.types):
                types.append(self.types[x - FIRST_SLOT])
            else:
                body.fail("unknown_slot", str(x))
        self.signatures.append(types)
        return {"kind": "signature", "slot": slot, "types": slots}

    def message(self, reader, start, slot):
        size = reader.varint()
        if slot > len(self.signatures):
            reader.fail("unknown_slot", f"signature {slot}")
        if size > MAX_FRAME_BYTES:
            reader.fail("frame_too_large")
        if size >= LONG_RUN_BYTES:
            reader.zeros(-(reader.at - start) % ALIGNMENT)
        reader.take(size)
        result = {"kind": "message", "signature": slot}
        # What is wrong with a message concerns only this message.
        try:
            result["values"] = self.payload(self.signatures[slot - 1], reader.data,
                                            reader.at - size, reader.at)
        except FormatError as error:
            result["error"] = error.name
        return result

    def payload(self, types, data, start, end):
        decoder = Decoder(data, start, end, {x.name: x for x in self.types if x.node is not None})
        values = []
        for x in types:
            if x.node is None:
                raise FormatError("unknown_type", text=f"{x.name}: {x.problem}")
            values.append(decoder.value(x.node))
        decoder.finish()
        return values


class Frames:
    """Takes one direction of a link apart."""

    def __init__(self):
        self.sequence = 0
        self.epoch = None
        self.proven_epoch = None

    def next(self, data, at):
        """Reads the header of the frame at `at`, and checks what does not concern its body."""
        reader = Reader(data, at)
        size = reader.integer(4)
        kind = reader.integer(1)
        reserved = reader.integer(3)
        epoch = reader.integer(4)
        sequence = reader.integer(4)
        if self.epoch is None and kind == AUTHENTICATION:
            sizes = (CHALLENGE_BYTES,) if self.proven_epoch is None else (PROOF_BYTES, REFUSAL_BYTES)
            if reserved or sequence:
                reader.fail("wrong_peer")
            if size not in sizes:
                reader.fail("invalid_frame")
            if self.proven_epoch not in (None, epoch):
                reader.fail("wrong_epoch")
        elif self.epoch is None:
            # Whoever does not start with a handshake speaks something else.
            if kind != 1 or reserved or sequence or not 12 <= size <= MAX_HANDSHAKE_BYTES:
                reader.fail("wrong_peer")
            if self.proven_epoch not in (None, epoch):
                reader.fail("wrong_epoch")
        else:
            if kind != 2 or reserved:
                reader.fail("invalid_frame")
            if size > MAX_FRAME_BYTES:
                reader.fail("frame_too_large")
            if epoch != self.epoch:
                reader.fail("wrong_epoch")
            ahead = sequence - self.sequence & 0xFFFFFFFF
            if ahead:
                reader.fail("sequence_gap" if ahead < 1 << 31 else "sequence_repeat")
        reader.take(size)
        reader.zeros(-size % ALIGNMENT)
        if kind == AUTHENTICATION:
            self.proven_epoch = epoch
        else:
            self.sequence = sequence + 1 & 0xFFFFFFFF
            self.epoch = epoch
        return {"kind": kind, "epoch": epoch, "sequence": sequence,
                "body": (at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + size), "end": reader.at}


def read_authentication(data, start, end):
    """Reads the body of a frame that comes in front of the handshake (5.0)."""
    reader = Reader(data, start, end)
    if reader.remaining() == REFUSAL_BYTES:
        if reader.integer(1) != 3:
            raise FormatError("invalid_tag", start)
        return {"op": "refusal"}
    if reader.remaining() == PROOF_BYTES:
        if reader.integer(1) != 2:
            raise FormatError("invalid_tag", start)
        return {"op": "proof", "mac": reader.take(32).hex()}
    if reader.take(8) != b"cafwire\n":
        raise FormatError("wrong_peer", start)
    result = {"op": "challenge", "min_version": reader.integer(2),
              "max_version": reader.integer(2)}
    if result["min_version"] > 1 or result["max_version"] < 1:
        raise FormatError("incompatible_version", start)
    if reader.integer(1) != 1:
        raise FormatError("invalid_tag", start)
    result["role"] = {1: "connecting", 2: "accepting"}.get(reader.integer(1))
    if result["role"] is None:
        raise FormatError("authentication_failed", start)
    result["epoch"] = reader.integer(8)
    result["random"] = reader.take(32).hex()
    return result


def proof(key, role, connecting, accepting):
    """Returns what proves that a side has the key, given the bodies of both challenges."""
    text = f"cafwire link, {role}".encode() + connecting + accepting
    return hmac.digest(key, text, "sha256")


def read_handshake(data, start, end):
    """Reads the body of a handshake (5.1)."""
    reader = Reader(data, start, end)
    if reader.take(8) != b"cafwire\n":
        raise FormatError("wrong_peer", start)
    result = {"min_version": reader.integer(2), "max_version": reader.integer(2)}
    if result["min_version"] > 1 or result["max_version"] < 1:
        raise FormatError("incompatible_version", start)
    decoder = Decoder(data, reader.at, end)
    try:
        for name in ("epoch", "registry_hash", "max_frame_bytes"):
            result[name] = decoder.input.integer(8)
        result["node"] = decoder.value(parse("caf::node_id"))
        result["published"] = decoder.input.integer(8)
        result["interface"] = decoder.value(parse("set(seq(c8))"))
        result["services"] = decoder.input.integer(8)
        decoder.finish()
    except FormatError as error:
        if error.name == "unexpected_end":
            raise FormatError("invalid_frame", start) from error
        raise
    if result["node"] is None:
        raise FormatError("wrong_peer", start)
    return result


OPERATIONS = {1: "message", 2: "monitor", 3: "down", 4: "link", 5: "unlink", 6: "release"}


def read_head(reader):
    """Reads the head of a record of a link (5.2), and where its source lives."""
    first = reader.integer(1)
    operation = OPERATIONS.get(first & 7)
    if operation is None or (first & 0xA0 and not first & 0x08):
        reader.at -= 1
        reader.fail("invalid_tag")
    result = {"op": operation, "target": read_number(reader)}
    if first & 0x40:
        result["relayed_target"] = True
    if first & 0x08:
        result["source"] = read_number(reader)
    if first & 0x80:
        result["relayed_source"] = True
    if first & 0x20:
        result["returned"] = True
    if first & 0x10:
        rotated = reader.varint()
        result["id"] = (rotated >> 4 | rotated << 60) & (1 << 64) - 1
    if first & 0xA0 == 0x80:
        place = reader.text()
        decoder = Decoder(place, 0, len(place))
        result["source_node"] = decoder.value(parse("caf::node_id"))
        result["source_id"] = decoder.input.integer(8)
        decoder.finish()
    return result


class LinkDirection:
    """Reads one direction of a link."""

    def __init__(self):
        self.frames = Frames()
        self.handshake = None
        self.session = None

    def start(self, known=None):
        """To be called behind both handshakes. `known` are the types of the application if both
        registries are equal."""
        self.session = Session(known)

    def read(self, data, at=0):
        """Returns the records of the frame at `at`, and where it ends."""
        frame = self.frames.next(data, at)
        start, end = frame["body"]
        if frame["kind"] == AUTHENTICATION:
            record = read_authentication(data, start, end)
            if frame["epoch"] != record.get("epoch", frame["epoch"]) & 0xFFFFFFFF:
                raise FormatError("wrong_epoch", at)
            return [record], frame["end"]
        if frame["kind"] == 1:
            self.handshake = read_handshake(data, start, end)
            if frame["epoch"] != self.handshake["epoch"] & 0xFFFFFFFF:
                raise FormatError("wrong_epoch", at)
            return [dict(self.handshake, op="handshake")], frame["end"]
        records = []
        reader = Reader(data, start, end)
        while reader.remaining():
            records.append(self.record(reader, start))
        return records, frame["end"]

    def record(self, reader, start):
        result = read_head(reader)
        if result["op"] == "message":
            session = [self.session.record(reader, start)]
            while session[-1]["kind"] != "message":
                session.append(self.session.record(reader, start))
            result["records"] = session
        elif result["op"] == "down":
            size = reader.varint()
            if size > reader.remaining():
                reader.fail("length_exceeds_input")
            decoder = Decoder(reader.data, reader.at, reader.at + size,
                              {x.name: x for x in self.session.types if x.node is not None})
            try:
                result["reason"] = decoder.value(parse("caf::error"))
            except FormatError as error:
                result["error"] = error.name
            reader.at += size
        elif result["op"] == "release":
            result["seen"] = reader.varint()
        return result
