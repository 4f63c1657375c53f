# This file is part of cafwire. See the file LICENSE for license terms.

"""Values: section 1 of docs/wire-format.md. Values become what the module `json` writes, as
docs/recordings.md says."""

import math
import re
import struct

from schema import parse

MAX_DEPTH = 64
MAX_UNBACKED_ITEMS = 8192

LONG_RUN_BYTES = 256
ALIGNMENT = 16


class FormatError(Exception):
    """The input breaks a rule. `name` is the name of the error on the page."""

    def __init__(self, name, offset=None, text=""):
        super().__init__(name + (f" at offset {offset}" if offset is not None else "")
                         + (f": {text}" if text else ""))
        self.name = name
        self.offset = offset


class Reader:
    """A position in some bytes."""

    def __init__(self, data, at=0, end=None):
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end

    def fail(self, name, text=""):
        raise FormatError(name, self.at, text)

    def remaining(self):
        return self.end - self.at

    def take(self, size):
        if size > self.remaining():
            self.fail("unexpected_end")
        self.at += size
        return bytes(self.data[self.at - size:self.at])

    def integer(self, size, signed=False):
        return int.from_bytes(self.take(size), "little", signed=signed)

    def varint(self):
        start = self.at
        result = 0
        for i in range(10):
            byte = self.integer(1)
            result |= (byte & 0x7F) << (7 * i)
            if byte < 0x80:
                if (byte == 0 and i > 0) or result >= 1 << 64:
                    break
                return result
        self.at = start
        return self.fail("invalid_varint")

    def text(self):
        size = self.varint()
        if size > self.remaining():
            self.fail("length_exceeds_input")
        return self.take(size)

    def zeros(self, size):
        if any(self.take(size)):
            self.fail("nonzero_padding")


def read_number(reader):
    """Reads what says which actor of a link is meant: its ID, or a number of who relays to it."""
    start = reader.at
    result = reader.varint()
    if result >= 1 << 63:
        reader.at = start
        reader.fail("invalid_varint")
    return result


# -- the types of the format (3.7) -------------------------------------------------------------------

ATOMS = """add close connect contact delete demonitor div flush forward get idle join leave link migrate
    monitor mul ok open pending ping pong publish publish_udp put receive redirect registry_lookup
    reset resolve spawn sub subscribe sys tick timeout unlink unpublish unpublish_udp unsubscribe
    update wait_for""".split()

_NANOSECONDS = "(i64,1/1000000000)"

CORE_TYPES = [None] + [(name, schema) for name, schema in (
    ("bool", "bool"), ("int8_t", "i8"), ("uint8_t", "u8"), ("int16_t", "i16"), ("uint16_t", "u16"),
    ("int32_t", "i32"), ("uint32_t", "u32"), ("int64_t", "i64"), ("uint64_t", "u64"),
    ("float", "f32"), ("double", "f64"), ("ldouble", "f80"), ("std::string", "seq(c8)"),
    ("std::u16string", "seq(c16)"), ("std::u32string", "seq(c32)"),
    ("std::set<std::string>", "set(seq(c8))"), ("caf::actor", "actor"),
    ("caf::actor_addr", "actor"), ("caf::strong_actor_ptr", "actor"),
    ("caf::weak_actor_ptr", "actor"), ("caf::byte_buffer", "seq(u8)"),
    ("caf::config_value", "caf::config_value"),
    ("caf::settings", "umap(seq(c8),caf::config_value)"), ("caf::down_msg", "caf::down_msg"),
    ("caf::error", "caf::error"), ("caf::exit_msg", "caf::exit_msg"),
    ("caf::exit_reason", "enum(u8)"), ("caf::hashed_node_id", "caf::hashed_node_id"),
    ("caf::ipv4_address", "caf::ipv4_address"), ("caf::ipv4_endpoint", "caf::ipv4_endpoint"),
    ("caf::ipv4_subnet", "caf::ipv4_subnet"), ("caf::ipv6_address", "caf::ipv6_address"),
    ("caf::ipv6_endpoint", "caf::ipv6_endpoint"), ("caf::ipv6_subnet", "caf::ipv6_subnet"),
    ("caf::message", "caf::message"), ("caf::message_id", "caf::message_id"),
    ("caf::node_down_msg", "caf::node_down_msg"), ("caf::node_id", "caf::node_id"),
    ("caf::none_t", "caf::none_t"), ("caf::pec", "enum(u8)"), ("caf::sec", "enum(u8)"),
    ("caf::timespan", "duration" + _NANOSECONDS), ("caf::timestamp", "time_point" + _NANOSECONDS),
    ("caf::unit_t", "caf::unit_t"), ("caf::uri", "caf::uri"),
    ("std::vector<caf::actor>", "seq(actor)"), ("std::vector<caf::actor_addr>", "seq(actor)"),
    ("std::vector<caf::config_value>", "seq(caf::config_value)"),
    ("std::vector<caf::strong_actor_ptr>", "seq(actor)"),
    ("std::vector<caf::weak_actor_ptr>", "seq(actor)"),
    ("std::vector<std::pair<std::string,message>>", "seq((seq(c8),caf::message))"),
    ("cafwire::ec", "enum(u8)"),
    *((f"caf::{name}_atom", f"caf::{name}_atom") for name in ATOMS),
)]

_CORE_ERRORS = ("caf::exit_reason", "caf::pec", "caf::sec", "cafwire::ec")


class Type:
    """A type that a message may hold."""

    def __init__(self, name, node, problem=None):
        self.name = name
        self.node = node
        self.problem = problem


def core_type(slot):
    """Returns the type with a slot of the format, or None."""
    if not 0 < slot < len(CORE_TYPES):
        return None
    name, schema = CORE_TYPES[slot]
    return Type(name, parse(schema))


# -- decoding ----------------------------------------------------------------------------------------


class Decoder:
    """Reads the values of one message. `types` has the types of the application by name and
    fingerprint, for messages inside of values."""

    def __init__(self, data, start=0, end=None, types=None):
        self.start = start
        self.input = Reader(data, start, end)
        self.types = types or {}
        self.objects = []
        self.depth = 0
        self.structs = 0
        self.unbacked = 0

    def finish(self):
        if self.input.remaining():
            self.input.fail("trailing_bytes")

    def value(self, node):
        """Reads a value."""
        return getattr(self, "_" + _METHODS.get(node.kind, node.kind))(node)

    def nested(self, node):
        """Reads a value that counts as one level deeper."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.input.fail("depth_limit")
        result = self.value(node)
        self.depth -= 1
        return result

    # -- numbers -------------------------------------------------------------------------------------

    def _number(self, node):
        name = node.name
        if name == "bool":
            return self.boolean()
        size = node.fixed_size()
        if name == "f80":
            return self.long_double()
        if name[0] == "f":
            return _float(self.input.take(size))
        result = self.input.integer(size, signed=name[0] == "i")
        return str(result) if size == 16 else result

    def boolean(self):
        byte = self.input.integer(1)
        if byte > 1:
            self.input.at -= 1
            self.input.fail("invalid_bool")
        return byte == 1

    def long_double(self):
        significand = self.input.integer(8)
        top = self.input.integer(2)
        exponent = top & 0x7FFF
        if (significand >> 63 == 1) != (exponent != 0):
            self.input.fail("invalid_float")
        if significand == 0:
            return -0.0 if top >> 15 else 0.0
        # Exact as a double, or else all bits.
        if significand & 0x7FF == 0 and -1022 <= exponent - 16383 <= 1023:
            result = math.ldexp(significand, exponent - 16383 - 63)
            return -result if top >> 15 else result
        return f"{top:04x}:{significand:016x}"

    def _scalar(self, node):
        return self.value(node.children[0])

    # -- products ------------------------------------------------------------------------------------

    def _array(self, node):
        element = node.children[0]
        if element.kind == "number" and element.name == "u8":
            return {"hex": self.input.take(node.count).hex()}
        return [self.value(node.children[0]) for _ in range(node.count)]

    def _tuple(self, node):
        return [self.value(child) for child in node.children]

    def _struct(self, node):
        values = []
        self.structs += 1
        if self.structs > MAX_DEPTH + 1:
            self.input.fail("depth_limit")
        for child, (_, optional) in zip(node.children, node.fields):
            values.append(self.maybe(child) if optional else self.value(child))
        self.structs -= 1
        names = [name for name, _ in node.fields]
        if None in names or len(set(names)) != len(names):
            return values
        return dict(zip(names, values))

    # -- sums ----------------------------------------------------------------------------------------

    def maybe(self, node):
        if not self.boolean():
            return None
        result = self.nested(node)
        return [None] if result is None else result

    def _opt(self, node):
        return self.maybe(node.children[0])

    def _var(self, node):
        index = self.input.varint()
        if index >= len(node.children):
            self.input.fail("invalid_variant_index")
        return {"index": index, "value": self.nested(node.children[index])}

    # -- containers ----------------------------------------------------------------------------------

    def length(self, size):
        """Reads the length of a container whose elements take at least `size` bytes."""
        count = self.input.varint()
        if count * size > self.input.remaining():
            self.input.fail("length_exceeds_input")
        if size == 0:
            self.unbacked += count
            if self.unbacked > MAX_UNBACKED_ITEMS:
                self.input.fail("unbacked_items_limit")
        return count

    def _seq(self, node):
        element = node.children[0]
        count = self.length(element.min_size())
        size = element.fixed_size()
        if size is not None and count * size >= LONG_RUN_BYTES:
            self.input.zeros(-(self.input.at - self.start) % ALIGNMENT)
            if count * size > self.input.remaining():
                self.input.fail("length_exceeds_input")
        if element.kind == "number":
            if element.name[0] == "c":
                return _text(self.input.take(count * size), element.name)
            if element.name == "u8":
                return {"hex": self.input.take(count).hex()}
        return [self.nested(element) for _ in range(count)]

    def _set(self, node):
        element = node.children[0]
        return [self.nested(element) for _ in range(self.length(element.min_size()))]

    def _map(self, node):
        key, value = node.children
        return [[self.nested(key), self.nested(value)]
                for _ in range(self.length(key.min_size() + value.min_size()))]

    def _bits(self, node):
        count = node.count
        if count is None:
            count = self.input.varint()
            if (count + 7) // 8 > self.input.remaining():
                self.input.fail("length_exceeds_input")
        packed = int.from_bytes(self.input.take((count + 7) // 8), "little")
        if packed >> count:
            self.input.fail("nonzero_padding")
        return "".join("1" if packed >> i & 1 else "0" for i in range(count))

    # -- pointers ------------------------------------------------------------------------------------

    def _pointer(self, node):
        number = self.input.varint()
        if number == 0:
            return None
        target = node.children[0]
        if number == 1:
            number = len(self.objects)
            self.objects.append([target, False])
            value = self.nested(target)
            self.objects[number][1] = True
            return {"object": number, "value": value}
        number -= 2
        if number >= len(self.objects):
            self.input.fail("unknown_reference")
        known, complete = self.objects[number]
        if known is not target and known.kind == target.kind == "number" \
                and known.name != target.name:
            self.input.fail("reference_type_mismatch")
        if not complete and node.kind == "shared":
            self.input.fail("reference_cycle")
        return {"object": number}

    def _any(self, node):
        name = self.input.text().decode("utf-8", "replace")
        if name not in node.names:
            self.input.fail("unknown_derived_type", name)
        return {"type": name, "value": self.nested(node.children[node.names.index(name)])}

    # -- types that the page fixes -------------------------------------------------------------------

    def _special(self, node):
        if node.name == "caf::message":
            return self.message()
        if node.name == "caf::error":
            return self.error()
        encoding = node.encoding()
        if encoding is None:
            self.input.fail("unknown_type", node.name)
        result = self.value(encoding)
        # A scheme, and then only what RFC 3986 allows.
        if node.name == "caf::uri" and result and not re.fullmatch(
                r"[A-Za-z][A-Za-z0-9+.-]*:[!#$%&'()*+,./0-9:;=?@A-Z\[\]_a-z~-]+", str(result)):
            self.input.fail("inspect_failed")
        return result

    def _unreadable(self, node):
        self.input.fail("unknown_type", "the schema does not say what stands here")

    def element_type(self):
        """Reads the type of an element, as in 1.7."""
        slot = self.input.varint()
        if slot != 0:
            result = core_type(slot)
            if result is None:
                self.input.fail("unknown_type", f"slot {slot}")
            return result
        name = self.input.text().decode("utf-8", "replace")
        fingerprint = self.input.integer(8)
        result = self.types.get(name)
        if result is None:
            self.input.fail("unknown_type", name)
        if result.fingerprint != fingerprint:
            self.input.fail("schema_mismatch", name)
        return result

    def message(self):
        types = [self.element_type() for _ in range(self.length(1))]
        return [{"type": x.name, "value": self.nested(x.node)} for x in types]

    def error(self):
        code = self.input.integer(1)
        if code == 0:
            return None
        category = self.element_type()
        if category.name not in _CORE_ERRORS and category.node.kind != "enum":
            self.input.fail("invalid_tag")
        if category.name not in _CORE_ERRORS and self.types.get(category.name) is None:
            self.input.fail("invalid_tag")
        return {"code": code, "category": category.name, "context": self.message()}

    def _actor(self, node):
        tag = self.input.integer(1)
        if tag == 0:
            return None
        if tag == 1:
            return {"node": self.value(_NODE_ID), "id": self.input.integer(8)}
        if tag > 5:
            self.input.fail("invalid_tag")
        result = {"of": "writer" if tag in (2, 4) else "reader",
                  "id" if tag < 4 else "number": read_number(self.input)}
        if tag == 4:
            result["node"] = self.value(_NODE_ID)
            result["id"] = self.input.integer(8)
        return result


# Kinds whose functions have another name.
_METHODS = {
    "enum": "scalar", "duration": "scalar", "time_point": "scalar", "uset": "set", "umap": "map",
    "shared": "pointer", "weak": "pointer", "?": "unreadable", "unsupported": "unreadable",
    "nothing": "unreadable",
}

_NODE_ID = parse("caf::node_id")


def _float(data):
    value = struct.unpack("<f" if len(data) == 4 else "<d", data)[0]
    if math.isnan(value):
        return "nan:" + data[::-1].hex()
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _text(data, kind):
    """Characters are text if they can be, and numbers otherwise."""
    try:
        return data.decode({"c8": "utf-8", "c16": "utf-16-le", "c32": "utf-32-le"}[kind])
    except UnicodeDecodeError:
        size = int(kind[1:]) // 8
        return {"units": [int.from_bytes(data[i:i + size], "little")
                          for i in range(0, len(data), size)]}


def decode(node, data, types=None):
    """Returns the value that is the whole message `data`."""
    decoder = Decoder(data, types=types)
    result = decoder.value(node)
    decoder.finish()
    return result
