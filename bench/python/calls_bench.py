#!/usr/bin/env python3
"""The cost of a call from Python: two boxes, and a cloth of a million triangles.

usage: calls_bench.py     SIGHTLINE_TOOL names the tool, which generates the cloth; needs NumPy
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import sightline

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "tests"))
from support import box, joined  # noqa: E402


def least(function, runs):
    """Microseconds of the fastest run."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return 1e6 * best


def boxes():
    vertices, faces = joined(box(), box((0.5, 0.5, 0.5)))
    vertices, faces = np.array(vertices), np.array(faces, np.uint32)
    wide = faces.astype(np.int64)
    print(f"two boxes, uint32: {least(lambda: sightline.self_intersections(vertices, faces), 20000):.1f} us")
    print(f"two boxes, int64:  {least(lambda: sightline.self_intersections(vertices, wide), 20000):.1f} us")


def cloth():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cloth.ply")
        subprocess.run([os.environ["SIGHTLINE_TOOL"], "generate", "cloth", path, "--triangles", "1000000"], check=True,
                       stdout=subprocess.DEVNULL)
        mesh = sightline.read(path)
    vertices, faces = np.array(mesh.vertices), np.array(mesh.faces)
    above = float("inf")
    for _ in range(15):
        start = time.perf_counter()
        report = sightline.self_intersections(vertices, faces, threads=1)
        above = min(above, 1e6 * (time.perf_counter() - start) - 1e3 * report.stats["milliseconds"])
    validation = least(lambda: sightline._core.Mesh(vertices, faces).validate(1), 15)
    print(f"{len(faces):,} triangles: {above:.0f} us above the query, of which {validation:.0f} us are the core's validation")
    print(f"Mesh in place: {least(lambda: sightline._core.Mesh(vertices, faces), 200):.1f} us")
    wide = faces.astype(np.int64)
    print(f"Mesh, int64:   {least(lambda: sightline._core.Mesh(vertices, wide), 10):.0f} us")


if __name__ == "__main__":
    boxes()
    cloth()
