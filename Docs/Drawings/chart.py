#!/usr/bin/python3
"""Draws the tables of the benchmark, each for light and for dark pages: chart FILE.md FOLDER

FILE.md is what 'make bench' prints, or Docs/Explanation/Performance.md with the figures of a run. The pictures are
bench-*.svg.
"""
import os
import re
import sys

sys.dont_write_bytecode = True

from picture import Picture  # noqa: E402

# What the name of a table begins with, the name of its picture, and what the picture shows.
CHARTS = [
    ("requests per second", "bench-throughput", "Requests per second, by connections and requests in flight on each"),
    ("a command", "bench-command", "A command from its start to its end, in ms (less is better)"),
    ("start to ready", "bench-start", "From the start of the process to READY, in ms (less is better)"),
    ("a reload of", "bench-reload", "A reload of 10,000 routes, in ms (less is better)"),
    ("memory", "bench-memory", "Resident memory, in MiB (less is better)"),
]
PEERS = re.compile(r"yardstick|redis|D-Bus|HTTP|\bnc\b|ctl call|gdbus|/bin/true|without a reload", re.I)
NUMBER = re.compile(r"([0-9.]+)(?: ([kM]))?(?: \(.*\))?$")
WIDTH, ROW, LETTER = 760, 26, 7.4


def tables(text):
    """The tables of a text: the names that each has, the cells of its head, and its rows."""
    heading, head, rows = "", None, []
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if head is None:
                head = cells
            elif not set(line) <= set("|-: "):
                rows.append(cells)
            continue
        if head:
            yield [name.lower() for name in (heading, head[0])], head, rows
            heading, head, rows = "", None, []
        if line.startswith("### "):
            heading = line[4:]


def number(cell):
    """The number in a cell: '756 k' is 756,000; None if there is none."""
    match = NUMBER.match(cell)
    return match and float(match[1]) * {"k": 1e3, "M": 1e6, None: 1}[match[2]]


def bars(picture, top, left, values):
    """Draws bars that begin at 'left', and returns where the next can begin."""
    most = max(value for _, _, value in values)
    for label, text, value in values:
        color = "bar" if PEERS.search(label) else "ask"
        picture.text(left - 12, top + 17, label, size=13, anchor="end", color="ink" if color == "ask" else "faint")
        length = max((WIDTH - left - 70) * value / most, 2)
        picture.bar(left, top + 4, length, ROW - 8, color)
        picture.text(left + length + 8, top + 17, text.split(" (")[0], size=13)
        top += ROW
    return top


def chart(title, head, rows):
    """One group of bars for the first column, or for each one that is a load, such as '64,16'."""
    loads = [index for index, cell in enumerate(head) if re.fullmatch(r"\d+,\d+", cell)]
    rows = [[cells[0].replace("`", ""), *cells[1:]] for cells in rows if not cells[0].startswith("the load's processor")]
    groups = [[(cells[0], cells[column], number(cells[column])) for cells in rows if number(cells[column]) is not None]
              for column in loads or [1]]
    space = 30 if loads else 0
    said = "; ".join(f"{cells[0]} {', '.join(cells[column] for column in loads or [1])}" for cells in rows)
    picture = Picture(f"{title}: {said}.", WIDTH, 46 + sum(len(values) * ROW + space for values in groups))
    picture.text(8, 22, title, size=15, bold=True)
    left = 20 + LETTER * max(len(label) for values in groups for label, _, _ in values) + (120 if loads else 0)
    top = 38
    for column, values in zip(loads or [1], groups):
        if loads:
            connections, inFlight = head[column].split(",")
            picture.text(8, top + 18, head[column], bold=True)
            picture.text(8, top + 36, f"{connections} connection{'s' * (connections != '1')},", size=12, color="faint")
            picture.text(8, top + 52, f"{inFlight} in flight", size=12, color="faint")
        top = bars(picture, top, left, values) + space
    return picture


def draw(path, folder):
    """Draws the tables of a file, and returns the names of those that it does not have."""
    with open(path) as file:
        found = list(tables(file.read()))
    missing = []
    for beginning, name, title in CHARTS:
        table = next((table for table in found if any(word.startswith(beginning) for word in table[0])), None)
        if table is None:
            missing.append(beginning)
        else:
            chart(title, *table[1:]).write(folder, name)
    return missing


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    draw(*sys.argv[1:])
