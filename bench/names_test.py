#!/usr/bin/env python3
# This file is part of cafwire. See the file LICENSE for license terms.
"""Tests that no benchmark gets lost: tables and results of earlier runs refer to them by name.

    python3 bench/names_test.py PROGRAM...

runs the benchmark programs with the list of their names, and the small benchmarks of the codec and
of streams for their counters and the version of CAF. More benchmarks than those below are welcome.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import unittest

CODEC = ("serialize", "deserialize", "deserialize_reuse")
BYTES = ("/1", "/64", "/1024", "/262144", "/16777216")
MATRICES = ("/1", "/64", "/1024", "/4096", "/1048576")
FLAT = ("cafwire", "caf", "hand", "memcpy", "elements")
OTHER = ("cafwire", "caf", "hand")
COUNTERS = ("wire_bytes", "allocs", "alloc_bytes", "p95_ns")

PROGRAMS = {}


def names(*parts, suffixes=("",)):
    """Returns all names that can be made with one of each part."""
    return {"/".join(x[:-1]) + x[-1] for x in itertools.product(*parts, suffixes)}


def codec_names():
    result = names(("struct12", "mixed"), CODEC, FLAT)
    result |= names(("bytes",), CODEC, FLAT, suffixes=BYTES)
    result |= names(("matrix4x4",), CODEC, FLAT, suffixes=MATRICES)
    result |= names(("matrix4x4",), ("view",), ("cafwire",), suffixes=MATRICES)
    others = ("objects", "strings", "string_map", "bools", "deque")
    result |= names(others, CODEC, OTHER)
    unpooled = (("serialize",), ("cafwire_unpooled",))
    result |= names(("struct12", "mixed") + others, *unpooled)
    result |= names(("bytes",), *unpooled, suffixes=BYTES)
    result |= names(("matrix4x4",), *unpooled, suffixes=MATRICES)
    return result | names(("struct12",), ("read",), ("erased", "generic", "view"))


def session_names():
    payloads = ("one_field", "three_ints", "sixteen_fields", "structs", "nested_map")
    modes = ("fresh", "manifest", "reused", "known", "known_reused")
    modes += tuple(mode + "_fieldwise" for mode in modes)
    result = names(("session",), payloads, modes, ("serialize", "deserialize"))
    return result | {"session/reconnect"}


def remote_names():
    matrices = tuple(f"matrix4x4_{n}" for n in (1, 64, 1024, 65536))
    result = names(("remote",), ("struct12",) + matrices + ("objects", "bytes_1M"),
                   ("cafwire", "basp", "tcp"))
    return result | names(("remote",), ("struct12",) + matrices, ("accelerated",))


EXPECTED = {
    "codec_bench": codec_names(),
    "async_bench": names(("objects1000",), ("serialize", "deserialize", "serialize_async",
                                            "deserialize_async"), ("cafwire",))
                   | names(("objects1000",), ("serialize",), ("cafwire_unpooled",)),
    "stream_bench": names(("stream",), ("serialize", "deserialize_reuse"), OTHER)
                    | names(("stream_message",), ("serialize", "deserialize"), OTHER),
    "session_bench": session_names(),
    "remote_bench": remote_names(),
    "pingpong_bench": names(("pingpong",), ("cafwire", "basp")),
    "links_bench": {"links/10", "links/1000"},
    "senders_bench": names(("senders",), ("64", "100000"), ("1", "2", "4"), suffixes=("/real_time",))
                     | names(("connections",), ("objects",), ("1", "8"), ("cafwire", "basp"),
                             suffixes=("/real_time",)),
}

# What is measured with the counters of the codec, as far as it takes no time.
MEASURED = {
    "codec_bench": r"^(struct12|mixed|strings|string_map|bools|deque|objects)/|/(1|64|1024)$",
    "stream_bench": ".",
    "session_bench": "/three_ints/|/reconnect",
    "async_bench": "^objects10/",
}


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True,
                          timeout=100).stdout


class NamesTest(unittest.TestCase):
    def test_no_name_is_lost(self):
        for name, program in PROGRAMS.items():
            with self.subTest(program=name):
                listed = set(run(program, "--benchmark_list_tests").split())
                self.assertEqual(sorted(EXPECTED.get(name, set()) - listed), [])
                self.assertTrue(listed)

    def test_counters_and_version(self):
        for name, regex in MEASURED.items():
            if name not in PROGRAMS:
                continue
            output = run(PROGRAMS[name], "--benchmark_filter=" + regex, "--benchmark_format=json",
                         "--benchmark_min_time=0.00001")
            results = json.loads(output)
            self.assertRegex(results["context"]["caf_version"], r"^\d+\.\d+\.\d+$")
            benchmarks = results["benchmarks"]
            self.assertTrue(benchmarks)
            for benchmark in benchmarks:
                with self.subTest(name=benchmark["name"]):
                    self.assertNotIn("error_message", benchmark)
                    self.assertEqual([x for x in COUNTERS if x not in benchmark], [])


if __name__ == "__main__":
    PROGRAMS.update((pathlib.Path(path).stem, path) for path in sys.argv[1:])
    if not PROGRAMS:
        sys.exit("usage: names_test.py PROGRAM...")
    unittest.main(argv=sys.argv[:1])
