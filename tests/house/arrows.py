#!/usr/bin/env python3
"""Compares the arrows that the linker sees with those that matrix.py allows for includes.

A public header declares functions of several rooms, so an include of it hides which room is called. This test reads the
symbols of the object files instead: a room may use a symbol that another room defines only if it may include that room.

usage: arrows.py OBJECTS    OBJECTS is the folder of the core's object files, one folder for each room.
"""
import os
import subprocess
import sys

from matrix import ALLOWED, cycle_in


def symbols(path):
    """The symbols that an object file defines (weak ones aside: inline functions) and those that it uses."""
    defined, used = set(), set()
    for line in subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout.splitlines():
        kind, name = line[17], line[19:]
        if kind == "U":
            used.add(name)
        elif kind in "TDBR":
            defined.add(name)
    return defined, used


def main():
    objects = sys.argv[1]
    room_of, uses = {}, []
    for folder, _, names in os.walk(objects):
        for name in names:
            room = os.path.relpath(folder, objects).split("/")[0]
            if not name.endswith(".o") or room == ".":
                continue
            defined, used = symbols(os.path.join(folder, name))
            room_of.update({symbol: f"core/{room}" for symbol in defined})
            uses.append((f"core/{room}", name, used))
    arrows, faults = {}, []
    for room, name, used in uses:
        for symbol in sorted(used):
            other = room_of.get(symbol, room)
            if other == room:
                continue
            arrows.setdefault(room, {}).setdefault(other, symbol)
            if other not in ALLOWED[room]:
                plain = subprocess.run(["c++filt", symbol], check=True, capture_output=True, text=True).stdout.strip()
                faults.append(f"{room} may not use {other}: {name} uses {plain}")
    cycle = cycle_in(arrows)
    if cycle:
        faults.append("a cycle: " + " -> ".join(cycle))
    print("\n".join(faults) or f"{len(uses)} object files, {sum(map(len, arrows.values()))} arrows between rooms, all allowed")
    sys.exit(1 if faults or not arrows else 0)


if __name__ == "__main__":
    main()
