# This file is part of cafwire. See the file LICENSE for license terms.
"""Tables about the codec: single values, without sessions and links."""

from .text import exact, number, position, ratio, table

WORKLOADS = ["struct12", "mixed", "bytes", "matrix4x4", "objects", "stream", "stream_message", "strings",
             "string_map", "bools", "deque"]
CONTENDERS = ["cafwire", "cafwire_unpooled", "caf", "memcpy", "elements", "hand"]
OPERATIONS = ["serialize", "deserialize", "deserialize_reuse", "view"]


def groups_of(results):
    """Returns the entries of WORKLOAD/OPERATION/CONTENDER[/SIZE] as ((workload, size, operation),
    {contender: entry}), in the order of the lists above."""
    groups = {}
    for name, entry in results.items():
        parts = name.split("/")
        if len(parts) in (3, 4) and parts[1] in OPERATIONS:
            size = int(parts[3]) if len(parts) > 3 and parts[3].isdigit() else 0
            groups.setdefault((parts[0], size, parts[1]), {})[parts[2]] = entry

    def order(item):
        workload, size, operation = item[0]
        return position(WORKLOADS, workload), workload, size, OPERATIONS.index(operation)

    return sorted(groups.items(), key=order)


def title_of(key):
    workload, size, operation = key
    return f"{workload}/{operation}/{size}" if size else f"{workload}/{operation}"


def times_of(group):
    return {name: entry["cpu_time"] for name, entry in group.items()}


def codec_table(groups):
    """Prints times of cafwire, stock CAF and the yardsticks, and our ratios."""
    rows = []
    for key, group in groups:
        times = times_of(group)
        ours = times.get("cafwire")
        if not any(name in times for name in CONTENDERS):
            continue
        entry = group.get("cafwire", {})
        rows.append(
            [title_of(key)]
            + [number(times.get(name)) for name in CONTENDERS]
            + [ratio(times.get("caf"), ours)]
            + [ratio(ours, times.get(name)) for name in ("memcpy", "hand")]
            + [exact(entry.get("wire_bytes")), number(entry.get("allocs"))]
        )
    header = ["codec, ns per operation"] + [name.replace("cafwire_", "") for name in CONTENDERS]
    header += ["caf/cafwire", "cafwire/memcpy", "cafwire/hand", "wire bytes", "allocs"]
    table("Codec: CPU time; wire bytes and allocations are those of cafwire", header, rows)


def peers_table(groups, peers):
    """Prints the times of other serializers, and cafwire against the fastest of them."""
    rows = []
    for key, group in groups:
        times = {name: time for name, time in times_of(group).items() if name in peers}
        ours = group.get("cafwire", {}).get("cpu_time")
        if not times:
            continue
        fastest = min(times, key=times.get)
        rows.append([title_of(key), number(ours), fastest, number(times[fastest]),
                     ratio(ours, times[fastest])]
                    + [number(times.get(name)) for name in peers])
    header = ["codec, ns per operation", "cafwire", "fastest peer", "its ns", "cafwire/fastest"]
    table("Other serializers: CPU time", header + list(peers), rows)


def container_table(groups):
    """Prints for arrays what copying all elements at once is worth against a loop over them."""
    rows = []
    for (workload, size, operation), group in groups:
        if workload not in ("bytes", "matrix4x4") or "elements" not in group:
            continue
        times = times_of(group)
        ours, loop = times.get("cafwire"), times["elements"]
        num_bytes = size * (64 if workload == "matrix4x4" else 1)
        rate = None if not ours else num_bytes / ours
        rows.append([workload, str(size), operation, number(loop), number(ours),
                     number(times.get("memcpy")), ratio(loop, ours),
                     "-" if rate is None else f"{rate:.2f}"])
    header = ["elements", "count", "operation", "loop ns", "bulk ns", "memcpy ns", "loop/bulk",
              "bulk GB/s"]
    table("Containers: a loop over elements against one copy (cafwire); deserialize makes a new "
          "container, deserialize_reuse fills one again", header, rows)


def pool_table(groups):
    """Prints what buffers that are used again are worth."""
    rows = []
    for key, group in groups:
        pooled, unpooled = group.get("cafwire"), group.get("cafwire_unpooled")
        if pooled is None or unpooled is None:
            continue
        row = [title_of(key)]
        for field in ("cpu_time", "p95_ns", "alloc_bytes"):
            row += [number(pooled.get(field)), number(unpooled.get(field))]
        rows.append(row + [ratio(unpooled["cpu_time"], pooled["cpu_time"])])
    header = ["serialize, ns", "pooled", "unpooled", "P95 pooled", "P95 unpooled", "bytes pooled",
              "bytes unpooled", "unpooled/pooled"]
    table("Buffers that are used again (pooled) or new for each message; bytes are those allocated",
          header, rows)


def async_table(results):
    """Prints the operations that leave the calling thread beside those that do not."""
    rows, pays = [], {}
    sizes = sorted({int(name[len("objects"):].split("/")[0]) for name in results
                    if name.startswith("objects") and "_async/" in name})
    for operation in ("serialize", "deserialize"):
        for size in sizes:
            sync = results.get(f"objects{size}/{operation}/cafwire")
            off = results.get(f"objects{size}/{operation}_async/cafwire")
            if sync is None or off is None:
                continue
            if off["cpu_time"] < sync["cpu_time"]:
                pays.setdefault(operation, size)
            else:
                pays.pop(operation, None)
            rows.append([f"{size} objects, {operation}", number(sync["cpu_time"]),
                         number(off["cpu_time"]), number(off["real_time"]),
                         ratio(off["cpu_time"], sync["cpu_time"]), number(sync.get("p95_ns")),
                         number(off.get("p95_ns")), number(sync.get("alloc_bytes")),
                         number(off.get("alloc_bytes"))])
    header = ["async, ns", "in the caller", "off it: CPU of the caller", "off it: until done",
              "CPU off/in", "P95 in", "P95 off", "bytes in", "bytes off"]
    table("Off the calling thread", header, rows)
    for operation in ("serialize", "deserialize"):
        if rows:
            print(f"  {operation}: takes less of the caller's CPU time off it "
                  + (f"from {pays[operation]} objects on" if operation in pays
                     else "at none of these sizes"))


def read_table(results):
    """Prints the ways to read one struct."""
    rows = []
    for way, text in (("generic", "deserialize, type known to the compiler"),
                      ("erased", "through a pointer to a function"),
                      ("view", "opens a view of 64 and reads one")):
        entry = results.get(f"struct12/read/{way}")
        if entry is not None:
            rows.append([text, number(entry["cpu_time"]), number(entry.get("allocs"))])
    table("Ways to read a struct12", ["", "ns", "allocs"], rows)


def print_all(results, peers):
    groups = groups_of(results)
    codec_table(groups)
    peers_table(groups, peers)
    container_table(groups)
    pool_table(groups)
    read_table(results)
    async_table(results)
