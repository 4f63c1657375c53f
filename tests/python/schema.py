# This file is part of cafwire. See the file LICENSE for license terms.

"""Schemas: section 2 of docs/wire-format.md."""

NUMBERS = {
    "bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8,
    "i128": 16, "u128": 16, "c8": 1, "c16": 2, "c32": 4, "f32": 4, "f64": 8, "f80": 10,
}

# The encodings of the types that stand in schemas by name because the page fixes them (1.9).
ENCODINGS = {
    "caf::unit_t": "()",
    "caf::none_t": "()",
    "caf::node_id": "opt(var(caf::uri,caf::hashed_node_id))",
    "caf::hashed_node_id": "{process_id:u32,host:[20]u8}",
    "caf::message_id": "u64",
    "caf::uri": "seq(c8)",
    "caf::config_value": "var(caf::none_t,i64,bool,f64,duration(i64,1/1000000000),caf::uri,seq(c8),"
                         "seq(caf::config_value),umap(seq(c8),caf::config_value))",
    "caf::ipv4_address": "[4]u8",
    "caf::ipv6_address": "[16]u8",
    "caf::ipv4_endpoint": "{address:caf::ipv4_address,port:u16}",
    "caf::ipv6_endpoint": "{address:caf::ipv6_address,port:u16}",
    "caf::ipv4_subnet": "{address:caf::ipv4_address,prefix_length:u8}",
    "caf::ipv6_subnet": "{address:caf::ipv6_address,prefix_length:u8}",
    "caf::down_msg": "{source:actor,reason:caf::error}",
    "caf::exit_msg": "{source:actor,reason:caf::error}",
    "caf::node_down_msg": "{node:caf::node_id,reason:caf::error}",
}

# Types of the format whose values say what they hold (1.7).
SELF_DESCRIBING = ("caf::message", "caf::error")

# Opening words of types that are built from others, and how many others these are: a number, or
# None for any.
_BUILT = {
    "opt": 1, "var": None, "seq": 1, "set": 1, "uset": 1, "map": 2, "umap": 2, "shared": 1,
    "weak": 1,
}

_ESCAPED = "\\{}()[],:;?^"

_MAX_DEPTH = 128


# Structs with these names have a backslash in front.
_WORDS = [*NUMBERS, "actor", "bits", "unsupported"]


class SchemaError(Exception):
    """The text is no schema."""


class Node:
    """A type. `kind` is the word that the grammar uses, and one of `number`, `array`, `tuple`,
    `struct`, `special` where it uses none."""

    def __init__(self, kind, children=(), **properties):
        self.kind = kind
        self.children = list(children)
        self.name = None
        self.__dict__.update(properties)

    def fixed_size(self):
        """Returns the size of all values, or None if they differ (2.3)."""
        if self.kind == "number":
            return NUMBERS[self.name]
        if self.kind in ("enum", "duration", "time_point"):
            return self.children[0].fixed_size()
        if self.kind == "bits":
            return None if self.count is None else (self.count + 7) // 8
        if self.kind == "array":
            if self.count == 0:
                return 0
            size = self.children[0].fixed_size()
            return None if size is None else self.count * size
        if self.kind in ("tuple", "struct"):
            if self.kind == "struct" and any(optional for _, optional in self.fields):
                return None
            sizes = [child.fixed_size() for child in self.children]
            return None if None in sizes else sum(sizes)
        return None

    def min_size(self, inside=()):
        """Returns the least number of bytes that a value takes."""
        if self in inside:
            return 0
        size = self.fixed_size() if self.kind not in ("struct", "array", "tuple") else None
        if size is not None:
            return size
        inside = inside + (self,)
        if self.kind == "array":
            return self.count * self.children[0].min_size(inside) if self.count else 0
        if self.kind == "tuple":
            return sum(child.min_size(inside) for child in self.children)
        if self.kind == "struct":
            return sum(1 if optional else child.min_size(inside)
                       for child, (_, optional) in zip(self.children, self.fields))
        if self.kind == "special":
            encoding = self.encoding()
            return 1 if encoding is None else encoding.min_size(inside)
        return 0 if self.kind in ("?", "unsupported") else 1

    def encoding(self):
        """Returns the encoding of a type of CAF, or None if it is self-describing or unknown."""
        text = "()" if is_atom(self.name) else ENCODINGS.get(self.name)
        if text is None:
            return None
        if text not in _parsed:
            _parsed[text] = parse(text)
        return _parsed[text]


_parsed = {}


def is_atom(name):
    return name.startswith("caf::") and name.endswith("_atom")


class _Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0
        self.depth = 0
        self.structs = {}

    def fail(self, what):
        raise SchemaError(f"offset {self.at}: {what}")

    def peek(self, word):
        return self.text.startswith(word, self.at)

    def take(self, word):
        if not self.peek(word):
            return False
        self.at += len(word)
        return True

    def expect(self, word):
        if not self.take(word):
            self.fail(f"no '{word}'")

    def digits(self):
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in "0123456789":
            self.at += 1
        if start == self.at:
            self.fail("no number")
        return int(self.text[start:self.at])

    def word(self):
        """Reads up to the next character that ends a name. Two colons in a row are part of the name
        of a type."""
        for each in _WORDS:
            if self.peek("\\" + each):
                following = self.text[self.at + 1 + len(each):][:1]
                if not following or following in _ESCAPED:
                    self.at += 1 + len(each)
                    return each
        result = ""
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "\\":
                self.at += 1
                if self.at == len(self.text) or self.text[self.at] not in _ESCAPED:
                    self.fail("nothing to escape")
                c = self.text[self.at]
            elif self.peek("::"):
                self.at += 2
                result += "::"
                continue
            elif c in _ESCAPED:
                break
            result += c
            self.at += 1
        return result

    def field_name(self):
        """Reads a name in which only characters may have a backslash in front."""
        start = self.at
        result = self.word()
        is_field = self.peek(":") or self.peek("?:")
        if is_field and result in _WORDS and self.text[start] == "\\":
            self.fail("nothing to escape")
        return result

    def schema(self):
        result = self.type()
        defined = set()
        while self.take(";"):
            name = self.word()
            if name in defined or name not in self.structs:
                self.fail(f"'{name}' is defined twice, or not used")
            defined.add(name)
            self.struct(self.structs[name])
        if self.at != len(self.text):
            self.fail("something behind the schema")
        # What has no definition is a type of the format.
        for name, node in self.structs.items():
            if name not in defined:
                if name in _WORDS:
                    self.fail(f"'{name}' has no definition")
                node.kind = "special"
        return self.resolve(result, [], set())

    def resolve(self, node, unnamed, seen, depth=1):
        """Replaces references to unnamed structs by these. Named structs belong to the place where
        they first occur."""
        if depth > _MAX_DEPTH:
            self.fail("nested too deeply")
        if node.kind == "^":
            if node.up > len(unnamed) or node.up == 0:
                self.fail("no struct that far outside")
            return unnamed[-node.up]
        if node in seen:
            return node
        is_unnamed = node.kind == "struct" and node.name is None
        seen.add(node)
        if is_unnamed:
            unnamed.append(node)
        node.children = [self.resolve(child, unnamed, seen, depth + 1) for child in node.children]
        if is_unnamed:
            unnamed.pop()
        return node

    def type(self):
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self.fail("nested too deeply")
        result = self.type_inside()
        self.depth -= 1
        return result

    def list(self):
        children = [self.type()]
        while self.take(","):
            children.append(self.type())
        self.expect(")")
        return children

    def type_inside(self):
        if self.take("["):
            count = self.digits()
            self.expect("]")
            return Node("array", [self.type()], count=count)
        if self.take("("):
            return Node("tuple", [] if self.take(")") else self.list())
        if self.peek("{"):
            return self.struct(Node("struct", fields=[]))
        if self.take("^"):
            return Node("^", up=self.digits())
        if self.take("?"):
            return Node("?")
        start = self.at
        word = self.word()
        plain = word if self.text[start:self.at] == word else None
        if plain is not None and self.take("("):
            return self.built(plain)
        if plain in NUMBERS:
            return Node("number", name=plain)
        if plain == "bits":
            return Node("bits", count=None)
        if plain in ("actor", "unsupported"):
            return Node(plain)
        if not word:
            self.fail("no type")
        return self.structs.setdefault(word, Node("struct", fields=[], name=word))

    def built(self, word):
        if word == "bits":
            result = Node("bits", count=self.digits())
            self.expect(")")
            return result
        if word in ("duration", "time_point"):
            number = self.type()
            self.expect(",")
            period = [self.digits()]
            self.expect("/")
            period.append(self.digits())
            self.expect(")")
            return Node(word, [number], period=period)
        if word == "any":
            names = []
            children = []
            while not names or self.take(","):
                names.append(self.field_name())
                self.expect(":")
                children.append(self.type())
            self.expect(")")
            return Node("any", children, names=names)
        if word == "enum":
            return Node("enum", self.list())
        if word not in _BUILT:
            self.fail(f"no type '{word}(...)'")
        children = self.list()
        if word in ("map", "umap") and len(children) == 1 and children[0].kind == "?":
            children = [Node("?"), Node("?")]
        if _BUILT[word] not in (None, len(children)):
            self.fail(f"'{word}' has {len(children)} types")
        return Node(word, children)

    def struct(self, node):
        self.expect("{")
        while not self.take("}"):
            if node.children:
                self.expect(",")
            start = self.at
            name = self.field_name()
            if self.take("?:"):
                optional = True
            elif self.take(":"):
                optional = False
            else:
                name = None
                optional = False
                self.at = start
            node.fields.append((name, optional))
            node.children.append(self.type())
        return node


def parse(text):
    """Returns the type that a schema describes. Raises `SchemaError`."""
    return _Parser(text).schema()


def _escape(text):
    return "".join("\\" + c if c in _ESCAPED else c for c in text)


def _escape_struct(name):
    return "\\" + name if name in _WORDS else _escape(name)


def to_text(node):
    """Returns the schema of a type: what `parse` was given."""
    definitions = {}
    unnamed = []

    def of(node):
        kind = node.kind
        if kind in ("number", "special"):
            return node.name
        if kind == "struct" and node.name is not None:
            if node not in definitions:
                definitions[node] = None  # keeps its place in the order
                definitions[node] = body(node)
            return _escape_struct(node.name)
        if kind == "struct":
            if node in unnamed:
                return f"^{len(unnamed) - unnamed.index(node)}"
            unnamed.append(node)
            result = body(node)
            unnamed.pop()
            return result
        inner = [of(child) for child in node.children]
        if kind == "array":
            return f"[{node.count}]{inner[0]}"
        if kind == "tuple":
            return f"({','.join(inner)})"
        if kind == "bits":
            return kind if node.count is None else f"bits({node.count})"
        if kind in ("duration", "time_point"):
            return f"{kind}({inner[0]},{node.period[0]}/{node.period[1]})"
        if kind == "any":
            return f"any({','.join(_escape(n) + ':' + t for n, t in zip(node.names, inner))})"
        if kind in ("map", "umap") and inner == ["?", "?"]:
            return f"{kind}(?)"
        return f"{kind}({','.join(inner)})" if inner else kind

    def body(node):
        items = []
        for (name, optional), child in zip(node.fields, node.children):
            mark = "" if name is None else _escape(name) + ("?:" if optional else ":")
            items.append(mark + of(child))
        return "{" + ",".join(items) + "}"

    result = of(node)
    return result + "".join(f";{_escape_struct(n.name)}{text}" for n, text in definitions.items())
