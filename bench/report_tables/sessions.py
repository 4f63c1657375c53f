# This file is part of cafwire. See the file LICENSE for license terms.
"""Tables about sessions, and about structs in and out of them."""

from .text import exact, number, position, ratio, table

MODES = ["none", "fresh", "manifest", "reused", "known", "known_reused"]


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


def struct_table(results):
    """Prints what blits and known types are worth for one struct: session/three_ints."""
    columns = [("none", "no session"), ("known", "known types"),
               ("known_reused", "known types, reused session")]
    rows = []
    for suffix, title in (("_fieldwise", "field by field"), ("", "as a block")):
        for operation in ("serialize", "deserialize"):
            times = [
                results.get(f"session/three_ints/{mode}{suffix}/{operation}", {}).get("cpu_time")
                for mode, _ in columns
            ]
            if any(times):
                rows.append([f"{title}, {operation}"] + [number(time) for time in times])
    header = ["three_ints, ns"] + [title for _, title in columns]
    table("A struct of three integers: its fields one by one, or copied as a block", header, rows)


def print_all(results):
    struct_table(results)
    session_table(results)
