#!/usr/bin/env python3
"""Times of sightline.self_intersections and of Open3D on the same arrays, with Open3D's misses and inventions.

usage: open3d_bench.py [TRIANGLES]     SIGHTLINE_TOOL names the tool, which generates the scenes

Open3D tests pairs of triangles that have no common vertex number. Only such pairs of the exact list count as misses. An
invention is a pair that is not in the exact list. Times are the least of 5 runs (Open3D: of one run); `user` is the CPU
time of a run, and `times` is the quotient of the two CPU times: it does not depend on other programs of the machine.
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import open3d as o3d

import sightline

SCENES = ["tube.ply", "cloth.ply", "bodies.ply", "soup.ply", "bodies.stl"]  # an STL file repeats each corner


def timed(function, runs):
    best, cpu, answer = float("inf"), float("inf"), None
    for _ in range(runs):
        wall, user = time.perf_counter(), time.process_time()
        answer = function()
        best, cpu = min(best, time.perf_counter() - wall), min(cpu, time.process_time() - user)
    return answer, best, cpu


def pairs_of(rows):
    return {(min(a, b), max(a, b)) for a, b in np.asarray(rows).tolist()}


def row_of(name, path):
    mesh = sightline.read(path)
    vertices, faces = np.ascontiguousarray(mesh.placed_vertices, np.float64), np.array(mesh.faces)
    report, ours, our_cpu = timed(lambda: sightline.self_intersections(vertices, faces), 5)
    other = o3d.geometry.TriangleMesh(o3d.utility.Vector3dVector(vertices),
                                      o3d.utility.Vector3iVector(faces.astype(np.int32)))
    found, theirs, their_cpu = timed(other.get_self_intersecting_triangles, 1)
    exact, listed = pairs_of(report.pairs), pairs_of(found)
    testable = {(a, b) for a, b in exact if not set(faces[a].tolist()) & set(faces[b].tolist())}
    return [name, len(faces), len(exact), len(testable), len(listed), len(testable - listed), len(listed - exact),
            1e3 * ours, 1e3 * our_cpu, 1e3 * theirs, 1e3 * their_cpu, their_cpu / our_cpu]


def main():
    triangles = next((argument for argument in sys.argv[1:] if argument.isdigit()), "20000")
    print(f"sightline {sightline.__version__}, Open3D {o3d.__version__}, {os.cpu_count()} cores\n")
    print("| scene | triangles | contacts | without a common vertex | Open3D lists | misses | invents "
          "| Sightline ms | user | Open3D ms | user | times |")
    print("|" + "---|" * 12)
    with tempfile.TemporaryDirectory() as folder:
        for name in SCENES:
            path = os.path.join(folder, name)
            subprocess.run([os.environ["SIGHTLINE_TOOL"], "generate", name[:-4], path, "--triangles", triangles],
                           check=True, stdout=subprocess.DEVNULL)
            row = row_of(name, path)
            print("| " + " | ".join(f"{cell:,.1f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int)
                                    else cell for cell in row) + " |", flush=True)


if __name__ == "__main__":
    main()
