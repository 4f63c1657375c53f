#!/usr/bin/env python3
# This file is part of cafwire. See the file LICENSE for license terms.
"""Merges the results of the benchmark programs and prints tables of ratios.

    python3 bench/report.py build/bench

reads `raw/*.json` in that folder (Google Benchmark's JSON, one file per program), writes
`results.json` next to it, and prints tables for the codec, sessions and links. Numbers are
medians over the repetitions, computed here if a program was run without repetitions. The codec and
sessions are compared by CPU time, which other programs on the machine disturb less; links by
messages per second. A file that holds no results is an error.
"""

import json
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True  # Nothing appears in the source folder.

from report_tables import codec, links, sessions  # noqa: E402

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
FACTS = ["caf_version", "cafwire_version", "compiler", "build_flags"]


def fail(message):
    sys.exit("report.py: " + message)


def check(data):
    """Returns what is wrong with a parsed file, or `None`."""
    if not isinstance(data, dict) or not isinstance(data.get("benchmarks"), list):
        return "it has no list of benchmarks"
    if not isinstance(data.get("context", {}), dict):
        return "its context is no object"
    for index, entry in enumerate(data["benchmarks"]):
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
            return f"benchmark {index} has no name"
        if entry.get("error_occurred"):
            continue
        for key in ("cpu_time", "real_time"):
            if not isinstance(entry.get(key), (int, float)):
                return f"{entry['name']} has no {key}"
    return None


def load(raw):
    """Returns the parsed files of a folder by the names of their programs."""
    programs = {}
    for path in sorted(raw.glob("*.json")):
        try:
            data = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            fail(f"{path} cannot be read ({error}): was its program interrupted? Run it again.")
        problem = check(data)
        if problem:
            fail(f"{path} does not look like the output of Google Benchmark: {problem}")
        programs[path.stem] = data
    return programs


def merge(programs):
    """Returns one document with the benchmarks of all programs and the context of each."""
    contexts = {name: data.get("context", {}) for name, data in programs.items()}
    return {
        "context": next(iter(contexts.values()), {}),
        "contexts": contexts,
        "benchmarks": [
            dict(entry, program=name)
            for name, data in programs.items()
            for entry in data.get("benchmarks", [])
        ],
    }


def medians(benchmarks):
    """Returns the median entry of each benchmark by name, with times in nanoseconds."""
    result, repetitions = {}, {}
    for entry in benchmarks:
        if entry.get("error_occurred"):
            continue
        name = entry.get("run_name", entry["name"])
        scaled = dict(entry)
        factor = NANOSECONDS.get(entry.get("time_unit"), 1.0)
        for key in ("cpu_time", "real_time"):
            scaled[key] = entry.get(key, 0.0) * factor
        if entry.get("run_type") == "aggregate":
            if entry.get("aggregate_name") == "median":
                result[name] = scaled
        else:
            repetitions.setdefault(name, []).append(scaled)
    for name, entries in repetitions.items():
        if name not in result:
            merged = dict(entries[0])
            for key, value in entries[0].items():
                if isinstance(value, (int, float)):
                    merged[key] = statistics.median(entry.get(key, 0) for entry in entries)
            result[name] = merged
    return result


def failures(benchmarks):
    """Returns the names and messages of the benchmarks that reported an error."""
    return {
        entry.get("run_name", entry["name"]): entry.get("error_message", "")
        for entry in benchmarks
        if entry.get("error_occurred")
    }


def peers_of(contexts):
    """Returns the other serializers that took part, with their versions."""
    peers = {}
    for context in contexts.values():
        for key, value in context.items():
            if key.startswith("peer_"):
                peers[key[len("peer_"):]] = value
    return dict(sorted(peers.items()))


def print_facts(contexts):
    """Prints which versions and flags the programs ran with; normally all share them."""
    print("Versions and flags")
    lines = {}
    for program, context in contexts.items():
        facts = [f"{fact.replace('_', ' ')} {context.get(fact, 'unknown')}" for fact in FACTS]
        facts.append(f"{context.get('num_cpus', '?')} CPUs")
        lines.setdefault(", ".join(facts), []).append(program)
    for facts, programs in lines.items():
        print(f"  {', '.join(programs)}: {facts}")


def main(arguments):
    if len(arguments) != 2:
        fail("usage: report.py FOLDER")
    folder = pathlib.Path(arguments[1])
    programs = load(folder / "raw")
    if not programs:
        fail(f"there are no results in {folder / 'raw'}: run the benchmarks first")
    merged = merge(programs)
    (folder / "results.json").write_text(json.dumps(merged, indent=1) + "\n")
    print_facts(merged["contexts"])
    peers = peers_of(merged["contexts"])
    if peers:
        print("  " + ", ".join(f"{name} {version}" for name, version in peers.items()))
    results = medians(merged["benchmarks"])
    codec.print_all(results, peers)
    sessions.print_all(results)
    links.print_all(results)
    failed = failures(merged["benchmarks"])
    for name, message in failed.items():
        print(f"\nFAILED {name}: {message}", file=sys.stderr)
    print(f"\nAll numbers: {folder / 'results.json'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
