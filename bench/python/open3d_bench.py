#!/usr/bin/env python3
"""Times of sightline.self_intersections and of Open3D on the same arrays, with Open3D's misses and inventions.

usage: open3d_bench.py [TRIANGLES…]     default: 20000 50000
SIGHTLINE_TOOL names the tool, which generates the scenes, and SIGHTLINE_LISTS the program sightline_lists
(tests/python/lists.cpp), which has CGAL list the pairs.

CGAL's list is the oracle of misses and inventions: the pairs of triangles that have a common point beyond what they
share as neighbours, where equal positions are one vertex, by CGAL's exact predicates. `differs` counts the pairs by
which Sightline's list differs from it. Open3D tests pairs of triangles that have no common vertex number, so only such
pairs of the oracle count as misses. An invention is a pair that the oracle does not have. Times are the least of 5 runs
(Open3D: of one run); `user` is the CPU time of a run, and `times` are the quotients of CPU times: they depend little on
other programs of the machine. `any` is is_self_intersecting, beside self_intersections(first=True).
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import open3d as o3d

import sightline

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "tests"))
from test_corpus import meshes  # noqa: E402

SCENES = ["tube.ply", "cloth.ply", "bodies.ply", "soup.ply", "bodies.stl"]  # an STL file repeats each corner


def timed(function, runs):
    """The answer, and milliseconds: wall and CPU."""
    best, cpu, answer = float("inf"), float("inf"), None
    for _ in range(runs):
        wall, user = time.perf_counter(), time.process_time()
        answer = function()
        best, cpu = min(best, time.perf_counter() - wall), min(cpu, time.process_time() - user)
    return answer, 1e3 * best, 1e3 * cpu


def pairs_of(rows):
    return {(min(a, b), max(a, b)) for a, b in np.asarray(rows).reshape(-1, 2).tolist()}


def oracle_of(path, folder):
    out = os.path.join(folder, "cgal.bin")
    subprocess.run([os.environ["SIGHTLINE_LISTS"], "cgal", path, out], check=True)
    return pairs_of(next(meshes(out))[3])


def row_of(name, path, oracle):
    mesh = sightline.read(path)
    vertices, faces = np.ascontiguousarray(mesh.placed_vertices, np.float64), np.array(mesh.faces)
    report, ours, our_cpu = timed(lambda: sightline.self_intersections(vertices, faces), 5)
    first, _, first_cpu = timed(lambda: sightline.self_intersections(vertices, faces, first=True), 5)
    other = o3d.geometry.TriangleMesh(o3d.utility.Vector3dVector(vertices),
                                      o3d.utility.Vector3iVector(faces.astype(np.int32)))
    found, theirs, their_cpu = timed(other.get_self_intersecting_triangles, 1)
    some, _, any_cpu = timed(other.is_self_intersecting, 1)
    listed = pairs_of(found)
    testable = {(a, b) for a, b in oracle if not set(faces[a].tolist()) & set(faces[b].tolist())}
    return [name, len(faces), len(oracle), len(pairs_of(report.pairs) ^ oracle), len(testable), len(listed),
            len(testable - listed), len(listed - oracle), ours, our_cpu, theirs, their_cpu, their_cpu / our_cpu,
            "yes" if some else "no", first_cpu, any_cpu, any_cpu / first_cpu, bool(first) == bool(oracle)]


def cell(value):
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value


def main():
    sizes = [argument for argument in sys.argv[1:] if argument.isdigit()] or ["20000", "50000"]
    print(f"sightline {sightline.__version__}, Open3D {o3d.__version__}, {os.cpu_count()} cores, "
          f"load {os.getloadavg()[0]:.1f}\n")
    columns = ["scene", "triangles", "oracle", "differs", "without a common vertex", "Open3D lists", "misses", "invents",
               "Sightline ms", "user", "Open3D ms", "user", "times", "any: Open3D", "Sightline user", "Open3D user",
               "times", "Sightline right"]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    with tempfile.TemporaryDirectory() as folder:
        for triangles in sizes:
            for name in SCENES:
                path = os.path.join(folder, name)
                subprocess.run([os.environ["SIGHTLINE_TOOL"], "generate", name[:-4], path, "--triangles", triangles],
                               check=True, stdout=subprocess.DEVNULL)
                row = row_of(name, path, oracle_of(path, folder))
                print("| " + " | ".join(map(cell, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
