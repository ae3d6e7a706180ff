"""Every mesh of the corpus of the C++ tests has the list of the C++ library, in every accepted form and on every device."""
import os
import subprocess
import tempfile
import unittest

import sightline

try:
    import numpy as np
    from forms import face_forms, vertex_forms
except ImportError:
    np = None

# Exponents so far apart that exact decisions take 50 to 140 ms for a hundred triangles: a query for every eighth form.
SLOW = {"any_exponent", "both_magnitudes", "both_magnitudes_denormal"}
PROGRAM = os.environ.get("SIGHTLINE_LISTS", "")  # tests/python/lists.cpp


def meshes(path):
    """Name, positions, triangles, pairs and kinds of each mesh in a file of the program."""
    with open(path, "rb") as file:
        for header in file:
            name, scalar, *counts = header.decode().split()
            positions, triangles, contacts = map(int, counts)

            def rows(kind, count):
                return np.frombuffer(file.read(count * 3 * np.dtype(kind).itemsize), kind).reshape(count, 3).copy()

            vertices, faces, found = rows(scalar, positions), rows("uint32", triangles), rows("uint32", contacts)
            yield name, vertices, faces, found[:, :2], found[:, 2]


@unittest.skipIf(np is None, "NumPy is not installed")
@unittest.skipUnless(PROGRAM, "SIGHTLINE_LISTS does not name the program that writes the corpus")
class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "corpus.bin")
            subprocess.run([PROGRAM, "corpus", path], check=True)
            cls.meshes = list(meshes(path))

    def same(self, report, pairs, kinds):
        self.assertTrue(report.complete)
        self.assertTrue(np.array_equal(report.pairs, pairs) and np.array_equal(report.kind, kinds))

    def test_the_corpus_is_that_of_the_issue(self):
        self.assertGreater(len(self.meshes), 100)
        self.assertGreater(sum(len(pairs) for _, _, _, pairs, _ in self.meshes), 100_000)
        self.assertEqual({kind for *_, kinds in self.meshes for kind in kinds.tolist()}, {0, 1, 2, 3})
        self.assertEqual({vertices.dtype.name for _, vertices, *_ in self.meshes}, {"float32", "float64"})

    def test_every_form_of_vertices_and_of_faces(self):
        vertex_names, face_names = set(), set()
        for name, vertices, faces, pairs, kinds in self.meshes:
            of_vertices, of_faces = list(vertex_forms(vertices)), list(face_forms(faces))
            for i in range(max(len(of_vertices), len(of_faces))):
                v, f = of_vertices[i % len(of_vertices)], of_faces[i % len(of_faces)]
                with self.subTest(mesh=name, vertices=v[0], faces=f[0]):
                    mesh = sightline.Mesh(v[1], f[1])
                    self.assertTrue(np.array_equal(mesh.vertices, vertices) and np.array_equal(mesh.faces, faces))
                    if name not in SLOW or i % 8 == 0:
                        self.same(sightline.self_intersections(mesh, threads=1 + i % 2), pairs, kinds)
            vertex_names.update(form[0] for form in of_vertices)
            face_names.update(form[0] for form in of_faces)
        self.assertGreater(len(vertex_names), 35)
        self.assertGreater(len(face_names), 50)

    def test_every_device_and_number_of_threads(self):
        devices = [device["name"] for device in sightline.devices() if not device["missing"]]
        devices = [name for name in devices if name == "cpu" or name.startswith("cuda")]
        self.assertIn("cpu", devices)
        for name, vertices, faces, pairs, kinds in self.meshes:
            for device in devices:
                for threads in (0, 3):
                    with self.subTest(mesh=name, device=device, threads=threads):
                        self.same(sightline.self_intersections(vertices, faces, threads=threads, device=device), pairs,
                                  kinds)


if __name__ == "__main__":
    unittest.main()
