#!/usr/bin/env python3
"""Prints how many includes go from each room to each other room, and fails on a cycle or a forbidden arrow.

usage: matrix.py [ROOT]    ROOT is the folder of the project, by default the one of this file. docs/architecture.md
explains the rooms.
"""
import os
import re
import sys

# Each room may include itself, the public headers and the rooms named here. A room of a library may also include what
# its library's line names.
ALLOWED = {
    "core/base": [],
    "core/rules": [],
    "core/input": ["core/base"],
    "core/exact": ["core/base", "core/rules"],
    "core/image": ["core/base", "core/rules", "core/input"],
    "core/cull": ["core/base", "core/input", "core/image"],
    "core/pair": ["core/base", "core/rules", "core/input", "core/exact", "core/image"],
    "core/order": ["core/base", "core/rules", "core/input"],
    "core/mesh": ["core/base", "core/input", "core/exact"],
    "core/solid": ["core/base", "core/input", "core/exact", "core/mesh"],
    "core/measure": ["core/base", "core/input", "core/exact", "core/mesh", "core/solid", "core/query"],
    "core/cuda": ["core/base", "core/rules", "core/input", "core/exact", "core/order"],
    "core/query": ["core/base", "core/input", "core/image", "core/cull", "core/pair", "core/order", "core/mesh",
                   "core/cuda"],
    "core/assembly": ["core/base", "core/input", "core/solid", "core/query", "core/measure"],
    "io/disk": ["core/base"],
    "io/read": ["core/base", "core/input", "io/disk"],
    "io/write": ["core/base"],
    "scale/parts": ["core/base", "core/input", "core/mesh", "core/query", "io/disk"],
    "mpi": ["core/base", "scale/parts"],
    "papers/raster": ["core/base", "core/rules", "core/input"],
    "papers/gl": ["core/base", "papers/raster"],
    "papers/moving": ["core/base", "core/rules"],
    "papers/cuda": ["core/base", "core/input", "core/cuda", "papers/moving"],
    "papers/method": ["core/base", "core/input", "core/exact", "core/mesh", "core/query", "papers/raster", "papers/gl",
                      "papers/moving", "papers/cuda"],
    "tool/report": ["core/base", "core/exact", "core/mesh", "io/write"],
    "tool/page": ["core/base", "core/mesh", "tool/report"],
    "tool/picture": ["core/base", "core/input", "core/mesh", "papers/raster", "tool/report"],
    "tool/experiments": ["papers/method", "tool/picture"],
    "tool": ["core/input", "io/read", "io/disk", "scale/parts", "mpi", "papers/method", "tool/report", "tool/page", "tool/picture", "tool/experiments"],
    "python": ["io/write", "tool/report", "tool/page", "tool/picture"],
}
# Folders beside src/, and the rooms that use them.
OUTSIDE = {"scenes": ["tool", "tool/experiments"], "viewer": ["tool", "python"]}
# The libraries whose public headers a library may include. Headers that this list does not name are those of the core.
HEADERS = {"core": [], "io": ["io"], "scale": ["io", "scale"], "mpi": ["io", "scale", "mpi"], "papers": ["papers"],
           "tool": ["io", "scale", "mpi", "papers"], "python": ["io", "papers"]}
OWNERS = {"io.h": "io", "source.h": "io", "huge.h": "scale", "mpi.h": "mpi", "papers.h": "papers"}
LIBRARIES = ["core", "io", "scale", "mpi", "papers", "tool", "python"]


def room_of(library, path):
    head = path.split("/")[0]
    return f"{library}/{head}" if "/" in path else library


def read(root):
    """The room of each source file by every name under which it can be included, and its includes."""
    rooms, includes = {}, []
    for library in LIBRARIES:
        base = os.path.join(root, "src", library)
        for folder, _, names in os.walk(base):
            for name in names:
                if not name.endswith((".h", ".cpp", ".cu", ".cuh")):
                    continue
                full = os.path.join(folder, name)
                path = os.path.relpath(full, base)
                room = room_of(library, path)
                rooms[path] = rooms[f"{library}/{path}"] = room
                with open(full, encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        found = re.match(r'\s*#\s*include "([^"]+)"', line)
                        if found:
                            includes.append((room, path, number, found.group(1)))
    return rooms, includes


def cycle_in(arrows):
    state = {}

    def visit(room, way):
        state[room] = 1
        for other in sorted(arrows.get(room, {})):
            if state.get(other) == 1:
                return way[way.index(other):] + [other] if other in way else [room, other]
            if other not in state:
                found = visit(other, way + [other])
                if found:
                    return found
        state[room] = 2
        return None

    for room in sorted(arrows):
        if room not in state:
            found = visit(room, [room])
            if found:
                return found
    return None


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "..")
    rooms, includes = read(root)
    arrows, faults = {}, []
    for room, path, number, target in includes:
        if target.startswith("sightline/"):
            owner = OWNERS.get(target.removeprefix("sightline/"), "core")
            if owner != "core" and owner not in HEADERS[room.split("/")[0]]:
                faults.append(f"{room} may not include public headers of {owner}: {path}:{number} includes {target}")
            continue
        local = os.path.normpath(os.path.join(os.path.dirname(path), target))
        other = rooms.get(target) or rooms.get(local)
        if other is None:
            head = target.split("/")[0]
            if room not in OUTSIDE.get(head, []):
                faults.append(f"{room}: {path}:{number} includes {target}, which no room has")
            continue
        if other == room:
            continue
        counts = arrows.setdefault(room, {})
        counts[other] = counts.get(other, 0) + 1
        if other not in ALLOWED.get(room, []):
            faults.append(f"{room} may not include {other}: {path}:{number} includes {target}")
    for room in sorted({room for room in rooms.values()}):
        if room not in ALLOWED:
            faults.append(f"{room} is a room without a line in ALLOWED")
    order = [room for room in ALLOWED if room in set(rooms.values())]
    width = max(len(room) for room in order)
    print("Includes from the room of the row to the room of the column, which has its row's number.")
    print(" " * (width + 4) + " ".join(f"{i + 1:3}" for i in range(len(order))))
    for i, room in enumerate(order):
        cells = " ".join(f"{arrows.get(room, {}).get(other, ''):>3}" if other != room else "  ·" for other in order)
        print(f"{i + 1:3} {room:<{width}} {cells}")
    cycle = cycle_in(arrows)
    if cycle:
        faults.append("a cycle: " + " -> ".join(cycle))
    for fault in faults:
        print(fault)
    if faults or not includes:
        sys.exit(1)


if __name__ == "__main__":
    main()
