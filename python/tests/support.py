"""Scenes of the tests, as lists, and the list that the tool prints for a file."""
import json
import os
import random
import subprocess
import tempfile

TOOL = os.environ.get("SIGHTLINE_TOOL", "")
KINDS = ["touching", "crossing", "coplanar", "duplicate"]

BOX_FACES = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7],
             [2, 7, 6], [3, 0, 4], [3, 4, 7]]


def box(low=(0, 0, 0), size=1.0):
    """Vertices and faces of a cube, as lists."""
    x, y, z = low
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    return [[x + size * i, y + size * j, z + size * k] for k in (0, 1) for i, j in corners], [f[:] for f in BOX_FACES]


def joined(*meshes):
    """Several meshes as one."""
    vertices, faces = [], []
    for points, triangles in meshes:
        faces += [[i + len(vertices) for i in t] for t in triangles]
        vertices += points
    return vertices, faces


def soup(count, seed=1, size=0.75):
    """Triangles at random; the coordinates are float32 numbers, so that every type holds the same mesh."""
    chance = random.Random(seed)
    vertices, faces = [], []
    for i in range(count):
        middle = [chance.randrange(1024) / 1024 for _ in range(3)]
        vertices += [[m + size * (chance.randrange(1024) / 512 - 1) / 4 for m in middle] for _ in range(3)]
        faces.append([3 * i, 3 * i + 1, 3 * i + 2])
    return vertices, faces


def generated(name, folder, extension="ply", *options):
    """A file that the tool generates."""
    path = os.path.join(folder, f"{name}.{extension}")
    subprocess.run([TOOL, "generate", name, path, *options], check=True, stdout=subprocess.DEVNULL)
    return path


def tool_report(path, *options, command="check"):
    """The tool's JSON report: of the first mesh for check, of all parts for clash."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        subprocess.run([TOOL, command, path, "--json", out, *options], stdout=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as file:
            document = json.load(file)
    return document["meshes"][0] if command == "check" else document


def listed(report):
    """The contacts of a Report as the tool's JSON has them: (a, b, kind, points)."""
    offsets, coordinates = report.points()
    offsets, rows = offsets.tolist(), coordinates.tolist() if offsets[-1] else []
    return [(c.a, c.b, c.kind.name, rows[offsets[i]:offsets[i + 1]]) for i, c in enumerate(report)]


def listed_by_tool(document):
    return [(c["a"], c["b"], c["kind"], c["points"]) for c in document["contacts"]]
