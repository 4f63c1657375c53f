#!/usr/bin/env python3
# This file is part of cafwire. See the file LICENSE for license terms.
"""Merges the results of the benchmark programs and prints tables of ratios.

    python3 bench/report.py build/bench

reads `raw/*.json` in that folder (Google Benchmark's JSON, one file per program), writes
`results.json` next to it, and prints tables for the codec, sessions and links. Numbers are
medians over the repetitions, computed here if a program was run without repetitions. The codec and
sessions are compared by CPU time, which other programs on the machine disturb less; links by
messages per second.
"""

import json
import pathlib
import statistics
import sys

WORKLOADS = ["struct12", "mixed", "bytes", "matrix4x4", "objects", "stream", "stream_message", "strings",
             "string_map", "bools", "deque"]
CONTENDERS = ["cafwire", "cafwire_unpooled", "caf", "memcpy", "elements", "hand"]
PAYLOADS = ["struct12", "matrix4x4_1", "matrix4x4_64", "matrix4x4_1024", "matrix4x4_65536"]
TRANSPORTS = ["cafwire", "accelerated", "basp", "tcp"]
OPERATIONS = ["serialize", "deserialize", "deserialize_reuse"]
MODES = ["fresh", "manifest", "reused", "known", "known_reused"]
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
FACTS = ["caf_version", "cafwire_version", "compiler", "build_flags"]


def fail(message):
    sys.exit("report.py: " + message)


def load(raw):
    """Returns the parsed files of a folder by the names of their programs."""
    programs = {}
    for path in sorted(raw.glob("*.json")):
        try:
            programs[path.stem] = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            # An interrupted run leaves half a file; the other programs still count.
            print(f"report.py: skipping {path}: {error}", file=sys.stderr)
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


# -- formatting -----------------------------------------------------------------------------------


def number(value):
    """Formats a number with three significant digits and a suffix for thousands."""
    if value is None:
        return "-"
    for factor, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 999.5 * factor:
            return f"{value / factor:.0f}{suffix}"
        if value >= 0.9995 * factor:
            return f"{value / factor:.3g}{suffix}"
    return f"{value:.3g}"


def exact(value):
    """Formats a number of bytes without rounding."""
    return "-" if value is None else f"{value:.0f}"


def ratio(value, base):
    """Formats `value / base`, or a dash if one of them is missing."""
    if value is None or not base:
        return "-"
    quotient = value / base
    return f"{quotient:.2f}" if quotient < 10 else f"{quotient:.0f}"


def table(title, header, rows):
    """Prints rows under a header, the first column to the left and the others to the right."""
    if not rows:
        return
    cells = [header] + rows
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    print("\n" + title)
    for index, row in enumerate(cells):
        line = [row[0].ljust(widths[0])]
        line += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  " + "  ".join(line).rstrip())
        if index == 0:
            print("  " + "  ".join("-" * width for width in widths))


# -- tables ---------------------------------------------------------------------------------------


def size_of(parts):
    """Returns the size at the end of a name, for sorting."""
    return int(parts[3]) if len(parts) > 3 and parts[3].isdigit() else 0


def position(names, name):
    """Returns where a name is in a list; unknown names come last."""
    return names.index(name) if name in names else len(names)


def codec_table(results):
    """Prints WORKLOAD/OPERATION/CONTENDER[/SIZE]: times of all contenders and our ratios."""
    groups = {}
    for name, entry in results.items():
        parts = name.split("/")
        if len(parts) in (3, 4) and parts[1] in OPERATIONS:
            key = (parts[0], size_of(parts), OPERATIONS.index(parts[1]))
            groups.setdefault(key, {})[parts[2]] = entry
    rows = []
    for key in sorted(groups, key=lambda key: (position(WORKLOADS, key[0]),) + key):
        workload, size, operation = key
        group = groups[key]
        times = {name: entry["cpu_time"] for name, entry in group.items()}
        ours = times.get("cafwire")
        suffix = f"/{size}" if size else ""
        entry = group.get("cafwire", {})
        rows.append(
            [f"{workload}/{OPERATIONS[operation]}{suffix}"]
            + [number(times.get(name)) for name in CONTENDERS]
            + [ratio(times.get("caf"), ours)]
            + [ratio(ours, times.get(name)) for name in ("memcpy", "hand")]
            + [exact(entry.get("wire_bytes")), number(entry.get("allocs"))]
        )
    header = ["codec, ns per operation"] + [name.replace("cafwire_", "") for name in CONTENDERS]
    header += ["caf/cafwire", "cafwire/memcpy", "cafwire/hand", "wire bytes", "allocs"]
    table("Codec: CPU time; wire bytes and allocations are those of cafwire", header, rows)


def session_table(results):
    """Prints session/PAYLOAD/MODE/OPERATION: times and bytes by mode."""
    groups = {}
    for name, entry in results.items():
        parts = name.split("/")
        if len(parts) == 4 and parts[0] == "session":
            groups.setdefault((parts[1], parts[2]), {})[parts[3]] = entry
    reconnect = results.get("session/reconnect")
    modes = MODES + [mode + "_fieldwise" for mode in MODES]
    rows = []
    for payload, mode in sorted(groups, key=lambda key: (key[0], position(modes, key[1]))):
        group = groups[payload, mode]
        any_entry = next(iter(group.values()))
        row = [f"{payload}/{mode}", exact(any_entry.get("wire_bytes"))]
        for operation in ("serialize", "deserialize"):
            entry = group.get(operation, {})
            base = groups.get((payload, "reused"), {}).get(operation, {})
            row += [
                number(entry.get("cpu_time")),
                ratio(entry.get("cpu_time"), base.get("cpu_time")),
                number(entry.get("allocs")),
            ]
        rows.append(row)
    header = ["session"] + ["wire bytes"]
    header += ["serialize ns", "/reused", "allocs", "deserialize ns", "/reused", "allocs"]
    table("Sessions: CPU time, bytes and allocations per message", header, rows)
    if reconnect:
        table("Reconnecting: both ends of a session start anew and exchange one message",
              ["", "ns", "wire bytes", "allocs"],
              [["reconnect", number(reconnect["cpu_time"]), exact(reconnect.get("wire_bytes")),
                number(reconnect.get("allocs"))]])


def pingpong_table(results):
    """Prints pingpong/TRANSPORT: percentiles of the time for one request and its response."""
    entries = {
        name.split("/")[1]: entry
        for name, entry in results.items()
        if name.startswith("pingpong/") and "p50_ns" in entry
    }
    base = entries.get("basp", {})
    rows = []
    for name in sorted(entries, key=lambda name: position(TRANSPORTS, name)):
        row = [name]
        for key in ("p50_ns", "p99_ns", "cpu_ns"):
            row += [number(entries[name].get(key)), ratio(entries[name].get(key), base.get(key))]
        rows.append(row)
    header = ["transport", "p50 ns", "/basp", "p99 ns", "/basp", "CPU ns", "/basp"]
    table("Round trips, one at a time; CPU time of both processes", header, rows)


def links_table(results):
    """Prints links/N: memory of links that have nothing to do."""
    rows = [
        (int(name.split("/")[1]), entry)
        for name, entry in results.items()
        if name.startswith("links/") and "bytes_per_link" in entry
    ]
    header = ["idle links", "bytes each", "CPU ns of a request"]
    table(
        "Memory of idle links, both ends",
        header,
        [
            [str(count), number(entry["bytes_per_link"]), number(entry["cpu_time"])]
            for count, entry in sorted(rows, key=lambda row: row[0])
        ],
    )


def remote_table(results):
    """Prints remote/PAYLOAD/TRANSPORT: messages and bytes per second and our ratios."""
    groups = {}
    for name, entry in results.items():
        parts = name.split("/")
        if len(parts) == 3 and parts[0] == "remote" and "items_per_second" in entry:
            groups.setdefault(parts[1], {})[parts[2]] = entry
    used = [name for name in TRANSPORTS if any(name in group for group in groups.values())]
    rows = []
    for payload in sorted(groups, key=lambda name: (position(PAYLOADS, name), name)):
        group = groups[payload]
        rates = {name: entry["items_per_second"] for name, entry in group.items()}
        volumes = {name: entry.get("bytes_per_second", 0) / 1e6 for name, entry in group.items()}
        ours = rates.get("cafwire")
        costs = {name: entry.get("cpu_ns") for name, entry in group.items()}
        window = group.get("cafwire", group.get("basp", {})).get("window")
        row = [payload]
        row += [number(rates.get(name)) for name in used]
        row += [exact(volumes.get(name)) for name in used]
        row += [number(costs.get(name)) for name in used]
        row += [ratio(ours, rates.get("basp")), ratio(ours, rates.get("tcp"))]
        row += [ratio(costs.get("basp"), costs.get("cafwire")), exact(window)]
        rows.append(row)
    header = ["remote"] + [name + " msg/s" for name in used] + [name + " MB/s" for name in used]
    header += [name + " cpu ns" for name in used]
    header += ["cafwire/basp", "cafwire/tcp", "cpu basp/cafwire", "window"]
    table("Links: two processes on loopback, one way, at most `window` messages in flight (tcp: "
          "four blocks of 1 MiB); CPU time per message is that of both processes", header, rows)


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
    results = medians(merged["benchmarks"])
    codec_table(results)
    session_table(results)
    remote_table(results)
    pingpong_table(results)
    links_table(results)
    failed = failures(merged["benchmarks"])
    for name, message in failed.items():
        print(f"\nFAILED {name}: {message}", file=sys.stderr)
    print(f"\nAll numbers: {folder / 'results.json'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
