#!/usr/bin/env python3
# This file is part of cafwire. See the file LICENSE for license terms.
"""Tests of report.py: what it prints for results, and what it says about files that are none."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

REPORT = pathlib.Path(__file__).with_name("report.py")


def entry(name, cpu_time, **more):
    return dict({"name": name, "run_name": name, "run_type": "iteration", "cpu_time": cpu_time,
                 "real_time": cpu_time, "time_unit": "ns"}, **more)


def document(*benchmarks, **context):
    return {"context": context, "benchmarks": list(benchmarks)}


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "raw").mkdir()

    def write(self, name, content):
        text = content if isinstance(content, str) else json.dumps(content)
        (self.path / "raw" / (name + ".json")).write_text(text)

    def run_report(self):
        return subprocess.run([sys.executable, REPORT, self.path], capture_output=True, text=True,
                              check=False)

    def cells(self, output, title):
        """Returns the words of the line that begins with a title."""
        lines = [line.split() for line in output.splitlines() if line.split()[:1] == [title]]
        self.assertTrue(lines, f"no line begins with {title}:\n{output}")
        return lines

    def expect_failure(self, *words):
        result = self.run_report()
        self.assertNotEqual(result.returncode, 0, result.stdout)
        self.assertNotIn("Traceback", result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    # -- results ----------------------------------------------------------------------------------

    def test_medians_and_units(self):
        name = "struct12/serialize/"
        self.write("codec_bench", document(
            entry(name + "cafwire", 9, wire_bytes=12), entry(name + "cafwire", 1, wire_bytes=12),
            entry(name + "cafwire", 2, wire_bytes=12), entry(name + "caf", 0.04, time_unit="us")))
        result = self.run_report()
        self.assertEqual(result.returncode, 0, result.stderr)
        line = self.cells(result.stdout, "struct12/serialize")[0]
        self.assertEqual(line[1:4], ["2", "-", "40"])
        self.assertIn("20", line)  # caf/cafwire
        merged = json.loads((self.path / "results.json").read_text())
        self.assertEqual(len(merged["benchmarks"]), 4)
        self.assertEqual(merged["benchmarks"][0]["program"], "codec_bench")

    def test_fastest_peer(self):
        name = "strings/serialize/"
        self.write("codec_bench", document(
            entry(name + "cafwire", 100), entry(name + "slow", 400), entry(name + "quick", 50),
            entry(name + "hand", 10), peer_slow="1.2", peer_quick="3"))
        result = self.run_report()
        self.assertIn("quick 3, slow 1.2", result.stdout)
        line = self.cells(result.stdout, "strings/serialize")[-1]
        self.assertEqual(line[1:5], ["100", "quick", "50", "2.00"])

    def test_containers_and_pools(self):
        self.write("codec_bench", document(
            entry("bytes/serialize/cafwire/1024", 10, p95_ns=11, alloc_bytes=0),
            entry("bytes/serialize/cafwire_unpooled/1024", 30, p95_ns=33, alloc_bytes=1040),
            entry("bytes/serialize/elements/1024", 500)))
        output = self.run_report().stdout
        self.assertEqual(self.cells(output, "bytes")[0],
                         ["bytes", "1024", "serialize", "500", "10", "-", "50", "102.40"])
        self.assertEqual(self.cells(output, "bytes/serialize/1024")[-1],
                         ["bytes/serialize/1024", "10", "30", "11", "33", "0", "1.04k", "3.00"])

    def test_structs_in_sessions(self):
        self.write("session_bench", document(
            entry("session/three_ints/none/serialize", 1),
            entry("session/three_ints/known/serialize", 30),
            entry("session/three_ints/known_reused/serialize", 3),
            entry("session/three_ints/known_reused_fieldwise/serialize", 4)))
        output = self.run_report().stdout
        self.assertIn(["as", "a", "block,", "serialize", "1", "30", "3"], self.cells(output, "as"))
        self.assertIn(["field", "by", "field,", "serialize", "-", "-", "4"],
                      self.cells(output, "field"))

    def test_async_pays_from_a_size(self):
        benchmarks = []
        for size, off in ((10, 50), (100, 50), (1000, 50)):
            benchmarks.append(entry(f"objects{size}/serialize/cafwire", size))
            benchmarks.append(entry(f"objects{size}/serialize_async/cafwire", off))
        self.write("async_bench", document(*benchmarks))
        self.assertIn("serialize: takes less of the caller's CPU time off it from 100 objects on",
                      self.run_report().stdout)

    def test_failed_benchmark(self):
        self.write("codec_bench", document(
            entry("mixed/serialize/cafwire", 1),
            {"name": "mixed/serialize/caf", "error_occurred": True, "error_message": "broken"}))
        self.expect_failure("FAILED mixed/serialize/caf: broken")

    # -- bad input --------------------------------------------------------------------------------

    def test_no_results(self):
        self.expect_failure("there are no results")

    def test_interrupted_file(self):
        self.write("codec_bench", '{"context": {}, "benchmarks": [{"na')
        self.expect_failure("codec_bench.json", "cannot be read")

    def test_empty_file(self):
        self.write("codec_bench", "")
        self.expect_failure("codec_bench.json", "cannot be read")

    def test_no_text(self):
        (self.path / "raw" / "codec_bench.json").write_bytes(b"\xff\xfe\x00")
        self.expect_failure("codec_bench.json", "cannot be read")

    def test_other_json(self):
        for content in ([], 1, {}, {"benchmarks": 1}, {"benchmarks": [1]}, {"benchmarks": [{}]},
                        {"context": 1, "benchmarks": []}, document({"name": "x"}),
                        document({"name": "x", "cpu_time": "1", "real_time": 1})):
            with self.subTest(content=content):
                self.write("codec_bench", content)
                self.expect_failure("codec_bench.json", "does not look like")

    def test_usage(self):
        result = subprocess.run([sys.executable, REPORT], capture_output=True, text=True,
                                check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("usage", result.stderr)


if __name__ == "__main__":
    unittest.main()
