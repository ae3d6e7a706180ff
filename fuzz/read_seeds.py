#!/usr/bin/env python3
"""Writes seeds for the readers' fuzzers: read_seeds.py FOLDER makes FOLDER/{stl,obj,ply,off,gltf,three_mf}/."""
import base64
import io
import json
import struct
import sys
import zipfile
from pathlib import Path

square = [(0.1, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
floats = b"".join(struct.pack("<3f", *p) for p in square)
indices = struct.pack("<6H", 0, 1, 2, 0, 2, 3)


def stl():
    yield b"solid".ljust(80) + struct.pack("<I12fH", 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-3 0\nendloop\nendfacet\n"
    yield f"solid a\n{facet}endsolid a\nsolid b\n{facet}endsolid\n".encode()


def obj():
    yield b"v 0 0 0\nv 1 0 0 1 0 0\nv 1 1 .5e1\nv 0 1 0\no a\nf 1/1/1 2//2 3/3\ng b\nf -4 -3 \\\n-2 -1 # c\nf 1 2 3 4 3 2\n"


def ply():
    header = "ply\nformat {} 1.0\nelement vertex 4\nproperty {} x\nproperty {} y\nproperty {} z\nelement face 1\nproperty list uchar int vertex_indices\nelement tristrips 1\nproperty list int int vertex_index\nend_header\n"
    yield header.format("ascii", *["double"] * 3).encode() + b"0 0 0\n1 0 0\n.2 .2 0\n0 1 0\n4 0 1 2 3\n5 0 1 2 -1 3\n"
    lists = (4, 0, 1, 2, 3, 4, 0, 1, 2, -1)
    yield header.format("binary_little_endian", *["float"] * 3).encode() + floats + struct.pack("<B4iI4i", *lists)
    yield header.format("binary_big_endian", *["short"] * 3).encode() + struct.pack(">12h", *range(12)) + struct.pack(">B4iI4i", *lists)


def off():
    body = "4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n4 0 1 2 3 0.5 0.5 0.5\n"
    yield ("OFF\n" + body).encode()
    yield ("STCNOFF # c\n" + body).encode()


def moving_gltf(document):
    """The same with morph targets and an animation of each kind."""
    moving = json.loads(json.dumps(document))
    keys = struct.pack("<2f", 0, 0.1) + struct.pack("<24f", *range(24))
    data = floats + indices + keys
    moving["buffers"] = [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]
    moving["bufferViews"] += [{"buffer": 0, "byteOffset": 60, "byteLength": 8}, {"buffer": 0, "byteOffset": 68, "byteLength": 96}]
    moving["accessors"] += [{"bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR"}]
    moving["accessors"] += [{"bufferView": 3, "componentType": 5126, "count": count, "type": kind} for count, kind in ((2, "VEC3"), (6, "VEC4"), (2, "SCALAR"))]
    del moving["accessors"][0]["sparse"]
    for primitive in moving["meshes"][0]["primitives"]:
        primitive["targets"] = [{"POSITION": 0}]
    moving["animations"] = [{"name": "walk", "samplers": [{"input": 2, "output": 3}, {"input": 2, "output": 4, "interpolation": "CUBICSPLINE"}, {"input": 2, "output": 5, "interpolation": "STEP"}],
                             "channels": [{"sampler": sampler, "target": {"node": node, "path": path}}
                                          for sampler, node, path in ((0, 0, "translation"), (0, 1, "scale"), (1, 0, "rotation"), (2, 1, "weights"))]}]
    return json.dumps(moving).encode()


def named_gltf(document):
    """Morph targets of which one has the name that another would be given."""
    named = json.loads(moving_gltf(document))
    del named["animations"]
    for primitive in named["meshes"][0]["primitives"]:
        primitive["targets"] = [{"POSITION": 0}] * 3
    named["meshes"][0]["extras"] = {"targetNames": ["x", "x (2)", "x"]}
    return json.dumps(named).encode()


def skinned_gltf(document):
    """The same with a skin of two joints, one of them moving."""
    skinned = json.loads(moving_gltf(document))
    matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    more = struct.pack("<16B", *[0, 1, 0, 0] * 4) + struct.pack("<16f", *[0.5, 0.5, 0, 0] * 4) + struct.pack("<32f", *matrix * 2)
    data = base64.b64decode(skinned["buffers"][0]["uri"].split(",")[1])
    at = len(data)
    data += more
    skinned["buffers"] = [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]
    first = len(skinned["bufferViews"])
    skinned["bufferViews"] += [{"buffer": 0, "byteOffset": at + start, "byteLength": size} for start, size in ((0, 16), (16, 64), (80, 128))]
    joints = len(skinned["accessors"])
    skinned["accessors"] += [{"bufferView": first + i, "componentType": component, "count": count, "type": kind}
                             for i, (component, count, kind) in enumerate(((5121, 4, "VEC4"), (5126, 4, "VEC4"), (5126, 2, "MAT4")))]
    for primitive in skinned["meshes"][0]["primitives"]:
        for i in range(2):
            primitive["attributes"] |= {f"JOINTS_{i}": joints, f"WEIGHTS_{i}": joints + 1}
    skinned["skins"] = [{"joints": [1, 2], "inverseBindMatrices": joints + 2}]
    skinned["nodes"][0]["skin"] = 0
    skinned["nodes"][1]["children"] = [2]
    skinned["nodes"] += [{"translation": [0, 1, 0]}]
    return json.dumps(skinned).encode()


def repeated_gltf(document):
    """The same with instances, a hidden node and a material of an unknown extension."""
    repeated = json.loads(json.dumps(document))
    data = floats + indices
    repeated["buffers"] = [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]
    repeated["extensionsRequired"] = ["EXT_mesh_gpu_instancing", "KHR_node_visibility", "X_paint"]
    repeated["materials"] = [{"extensions": {"X_paint": {}}}]
    repeated["nodes"][0]["extensions"] = {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0, "SCALE": 0}}}
    repeated["nodes"][1]["extensions"] = {"KHR_node_visibility": {"visible": False}}
    return json.dumps(repeated).encode()


def gltf():
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "children": [1], "rotation": [0, 0, 1, 0]}, {"mesh": 0, "name": "b", "scale": [2, 2, 2], "translation": [1, 2, 3]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}, {"attributes": {"POSITION": 0}, "mode": 5}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
             "sparse": {"count": 1, "indices": {"bufferView": 1, "componentType": 5123}, "values": {"bufferView": 0}}},
            {"bufferView": 1, "byteOffset": 0, "componentType": 5123, "count": 6, "type": "SCALAR", "normalized": False}],
        "bufferViews": [{"buffer": 0, "byteLength": 48, "byteStride": 12}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
        "buffers": [{"byteLength": 60, "uri": "data:application/octet-stream;base64," + base64.b64encode(floats + indices).decode()}],
    }
    yield json.dumps(document).encode()
    del document["buffers"][0]["uri"]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    yield moving_gltf(document)
    yield named_gltf(document)
    yield skinned_gltf(document)
    yield repeated_gltf(document)
    yield b"glTF" + struct.pack("<II", 2, 28 + len(text) + 60) + struct.pack("<I", len(text)) + b"JSON" + text + struct.pack("<I", 60) + b"BIN\0" + floats + indices


def three_mf():
    mesh = '<mesh><vertices>' + "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in square) + '</vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>'
    model = f'<model unit="millimeter"><resources><object id="1" name="a">{mesh}</object><object id="2"><components><component objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/></components></object></resources><build><item objectid="2"/><item objectid="1"/></build></model>'
    yield model.encode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("3D/3dmodel.model", model)
    yield archive.getvalue()


# Two triangles as the encoders of meshoptimizer and Draco write them, after the three bytes of read_compressed.cpp.
def meshopt():
    yield bytes([24, 4, 0]) + bytes.fromhex(
        "a000000133000000ffff01330000007e7d0000010c000000ff010c0000007e0000000000000000000000000000000000000000000000000000"
        "00000000000000000000")
    yield bytes([1, 6, 0]) + bytes.fromhex("e0f000007687566778a9866589689801690000")
    yield bytes([2, 6, 0]) + bytes.fromhex("d000040406080400000000")


def draco():
    for text in (
            "445241434f02020100000002040100010200020301010009030000000000000000000000000000000000803f00000000000000000000803f"
            "0000803f00000000000000000000803f00000000",
            "445241434f02020100000002040100010200020301010009030000020001010003030130011003003482880400000000ff00000000000000"
            "00000000000000000000803f08",
            "445241434f02020101000000040200020000011fff011101ff0000010009030000000000000000000000000000000000803f0000803f0000"
            "0000000000000000803f000000000000803f0000000000000000",
            "445241434f02020101000000040200020000011fff011101ff0000010009030000020101010003030130011003002882980000000000ff00"
            "00000000000000000000000000000000803f08"):
        yield bytes(3) + bytes.fromhex(text)


for make in (stl, obj, ply, off, gltf, three_mf, meshopt, draco):
    folder = Path(sys.argv[1]) / make.__name__
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(make()):
        (folder / f"seed{number}").write_bytes(seed)
