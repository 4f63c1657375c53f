#!/usr/bin/env python3
# This file is part of cafwire. See the file LICENSE for license terms.
"""Measures what a message type costs the compiler: seconds and bytes of object code.

    python3 bench/compile_cost.py FOLDER COMPILER [FLAG...]

generates 50 message types into the folder and compiles them three times: without any use of them,
with what `caf::init_global_meta_objects` instantiates, and with what cafwire instantiates on top of
that. The differences to the first, divided by 50, are the costs of a type. Time is CPU time of the
compiler, the best of three runs; bytes are those of code and data as `size` counts them. The
target `compile_cost` runs this with the compiler and flags of the build.
"""

import pathlib
import resource
import subprocess
import sys

NUM_TYPES = 50
NUM_RUNS = 3

LICENSE = "// This file is part of cafwire. See the file LICENSE for license terms.\n\n"

# What applications send: numbers without and with padding, texts, containers, other messages.
SHAPES = [
    [("int32_t", "x"), ("int32_t", "y"), ("int32_t", "z")],
    [("uint64_t", "id"), ("double", "weight"), ("bool", "active"), ("int32_t", "count")],
    [("uint32_t", "id"), ("std::string", "text"), ("std::vector<int32_t>", "numbers")],
    [("std::string", "name"), ("std::map<std::string, int32_t>", "tags"),
     ("std::optional<std::string>", "note")],
    [("uint64_t", "id"), ("std::vector<message{first}>", "items"), ("message{first}", "last")],
]

PROLOG = LICENSE + """#pragma once

#include <caf/all.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

"""


def types():
    """Returns the text of a header with all types."""
    text = PROLOG
    for number in range(NUM_TYPES):
        # The last shape refers to the type of the first one in front of it.
        first = number - number % len(SHAPES)
        fields = [(kind.format(first=first), name) for kind, name in SHAPES[number % len(SHAPES)]]
        text += f"struct message{number} {{\n"
        text += "".join(f"  {kind} {name} = {{}};\n" for kind, name in fields) + "};\n\n"
        text += "template <class Inspector>\n"
        text += f"bool inspect(Inspector& f, message{number}& x) {{\n  return f.object(x).fields("
        text += ", ".join(f'f.field("{name}", x.{name})' for _, name in fields) + ");\n}\n\n"
    text += "CAF_BEGIN_TYPE_ID_BLOCK(cost, caf::first_custom_type_id)\n\n"
    for number in range(NUM_TYPES):
        text += f"  CAF_ADD_TYPE_ID(cost, (message{number}))\n"
    return text + "\nCAF_END_TYPE_ID_BLOCK(cost)\n"


INCLUDES = LICENSE + """#include "types.hpp"

#include <cafwire/init_global_meta_objects.hpp>

"""

SOURCES = {
    # Everything is included everywhere, so that only the use of it makes a difference.
    "unused": INCLUDES + "int main() {\n  return 0;\n}\n",
    "stock": INCLUDES + "int main() {\n  caf::init_global_meta_objects<caf::id_block::cost>();\n}\n",
    "both": INCLUDES
    + "int main() {\n  cafwire::init_global_meta_objects<caf::id_block::cost>();\n}\n",
}


def compile_once(command):
    """Runs a command and returns the CPU time that it took, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"compile_cost.py: the compiler failed:\n{done.stderr[:4000]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def object_bytes(path):
    """Returns the bytes of code and data in an object file."""
    lines = subprocess.run(["size", path], capture_output=True, text=True, check=True).stdout
    return sum(int(number) for number in lines.splitlines()[1].split()[:2])


def main(arguments):
    if len(arguments) < 3:
        sys.exit("compile_cost.py: usage: compile_cost.py FOLDER COMPILER [FLAG...]")
    folder = pathlib.Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "types.hpp").write_text(types())
    seconds, sizes = {}, {}
    for name, text in SOURCES.items():
        source, output = folder / f"{name}.cpp", folder / f"{name}.o"
        source.write_text(text)
        command = arguments[2:] + ["-c", str(source), "-o", str(output)]
        seconds[name] = min(compile_once(command) for _ in range(NUM_RUNS))
        sizes[name] = object_bytes(output)
    print(f"Cost of a message type, mean of {NUM_TYPES}")
    print(f"  {'':<14}{'CPU ms':>8}{'bytes':>8}")
    costs = {}
    for title, name, base in (("stock CAF", "stock", "unused"), ("cafwire", "both", "stock")):
        milliseconds = 1000 * (seconds[name] - seconds[base]) / NUM_TYPES
        num_bytes = (sizes[name] - sizes[base]) / NUM_TYPES
        costs[title] = milliseconds, num_bytes
        print(f"  {title:<14}{milliseconds:>8.1f}{num_bytes:>8.0f}")
    ratios = [ours / theirs for ours, theirs in zip(costs["cafwire"], costs["stock CAF"])]
    print(f"  {'cafwire/stock':<14}{ratios[0]:>8.2f}{ratios[1]:>8.2f}")
    print(f"  headers alone: {seconds['unused']:.1f} s")


if __name__ == "__main__":
    main(sys.argv)
