# This file is part of cafwire. See the file LICENSE for license terms.
"""Tables about links: messages between processes."""

from .text import exact, number, position, ratio, table

PAYLOADS = ["struct12", "matrix4x4_1", "matrix4x4_64", "matrix4x4_1024", "matrix4x4_65536", "objects",
            "bytes_1M"]
TRANSPORTS = ["cafwire", "accelerated", "basp", "tcp"]


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


def rates(results, kind):
    """Returns the items per second of `KIND/...` by the rest of the name."""
    return {
        tuple(name.removesuffix("/real_time").split("/")[1:]): entry["items_per_second"]
        for name, entry in results.items()
        if name.startswith(kind + "/") and "items_per_second" in entry
    }


def senders_table(results):
    """Prints senders/BYTES/N: what becomes of the rate when more actors share a link."""
    found = rates(results, "senders")
    rows = [
        [size, count, number(rate), ratio(rate, found.get((size, "1")))]
        for (size, count), rate in sorted(found.items(), key=lambda x: (int(x[0][0]), int(x[0][1])))
    ]
    header = ["bytes", "senders", "all msg/s", "/one sender"]
    table("Actors that send over one link at the same time", header, rows)


def connections_table(results):
    """Prints connections/PAYLOAD/N/TRANSPORT: many connections to one node."""
    found = rates(results, "connections")
    rows = []
    for payload, count in sorted({x[:2] for x in found}, key=lambda x: (x[0], int(x[1]))):
        ours, stock = (found.get((payload, count, name)) for name in ("cafwire", "basp"))
        rows.append([payload, count, number(ours), number(stock), ratio(ours, stock)])
    header = ["payload", "connections", "cafwire msg/s", "basp msg/s", "cafwire/basp"]
    table("Connections to a node with four threads for what arrives", header, rows)


def print_all(results):
    remote_table(results)
    pingpong_table(results)
    links_table(results)
    senders_table(results)
    connections_table(results)
