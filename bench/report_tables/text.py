# This file is part of cafwire. See the file LICENSE for license terms.
"""Numbers and tables as text."""


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


def position(names, name):
    """Returns where a name is in a list; unknown names come last."""
    return names.index(name) if name in names else len(names)
