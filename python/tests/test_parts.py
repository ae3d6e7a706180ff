"""Clashes equal those of the tool; topology, sides and measures have known values; files round trip."""
import array
import math
import os
import pickle
import tempfile
import unittest

import sightline
from support import TOOL, box, generated, joined, soup, tool_report


def tool_rows(document):
    names = [part["name"] for part in document["parts"]]
    return [(p["part_a"], p["part_b"], names[p["part_a"]], names[p["part_b"]], p["relation"], p.get("inner"), p["gap"],
             p["counts"]) for p in document["pairs"]]


def rows(table):
    return [(r.a, r.b, r.name_a, r.name_b, r.relation, r.inner, r.gap,
             {"touching": r.touching, "crossing": r.crossing, "coplanar": r.coplanar, "duplicate": r.duplicate})
            for r in table]


def measured(row):
    return (row.relation, row.tolerated, row.depth and tuple(row.depth), row.deepest, row.surface,
            row.volume and tuple(row.volume))


def measured_by_tool(pair):
    depth = pair.get("depth")
    return (pair["relation"], pair.get("tolerated", False), depth and (depth["low"], depth["high"]),
            depth and tuple(pair["deepest"]), depth and tuple(pair["surface"]),
            pair.get("volume") and (pair["volume"]["low"], pair["volume"]["high"]))


class NoDimension:
    """An element of an array of PyTorch or JAX: an array that has no length."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value

    def __len__(self):
        raise TypeError("len() of a 0-d tensor")


class OneRow:
    """An array of the shape (3,) of such a library."""

    shape = (3,)

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return NoDimension(self.values[i])


@unittest.skipUnless(TOOL, "SIGHTLINE_TOOL does not name the tool")
class AgainstTheTool(unittest.TestCase):
    def test_clashes(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, options in (("assembly", ()), ("building", ("--triangles", "3000"))):
                path = generated(name, folder, "obj", *options)
                for clearance in (0, 0.1, 1):
                    document = tool_report(path, "--clearance", str(clearance), command="clash")
                    want = tool_rows(document)
                    self.assertGreater(len(want), 2)
                    table = sightline.clash(path, clearance)
                    self.assertEqual(rows(table), want)
                    self.assertEqual([r.nearest for r in table],
                                     [(tuple(p["nearest_a"]), tuple(p["nearest_b"])) if "nearest_a" in p else None
                                      for p in document["pairs"]])
                    contacts = [(c.object_a, c.object_b, c.a, c.b, c.kind.name) for c in table.report]
                    self.assertEqual(contacts, [(c["part_a"], c["part_b"], c["a"], c["b"], c["kind"])
                                                for c in document["contacts"]])
                    short = sightline.clash(sightline.read_parts(path), clearance, relations_only=True)
                    self.assertEqual([r[:7] for r in rows(short)], [r[:7] for r in want])
                    self.assertIsNone(short.report)
                document = tool_report(path, "--depth", "--volume", "--tolerance", "0.2", command="clash")
                for short in (False, True):
                    table = sightline.clash(path, tolerance=0.2, depth=True, volume=True, relations_only=short)
                    self.assertEqual([measured(r) for r in table], [measured_by_tool(p) for p in document["pairs"]])
                if name == "assembly":
                    self.assertTrue(any(r.depth and r.volume for r in table))


class Parts(unittest.TestCase):
    def test_tables(self):
        table = sightline.clash([box(), sightline.Mesh(*box((0.5, 0, 0)), name="second"), box((9, 9, 9))], clearance=1)
        self.assertEqual([(r.name_a, r.name_b, r.relation) for r in table], [("part 0", "second", "clash")])
        columns = table.to_dict()
        self.assertEqual(columns["name_b"], ["second"])
        again = pickle.loads(pickle.dumps(table))
        self.assertEqual((list(again), again.stats, again.report), (list(table), table.stats, table.report))
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "needs the Python package pandas"):
                table.to_pandas()
        else:
            self.assertEqual(list(table.to_pandas()["relation"]), ["clash"])
        with self.assertRaisesRegex(sightline.Error, "clearance is -1"):
            sightline.clash([box()], clearance=-1)
        bad = box()[0]
        bad[0] = [math.inf, 0, 0]
        with self.assertRaisesRegex(ValueError, "b: vertices: row 0 is"):
            sightline.clash({"a": box(), "b": (bad, box()[1])})
        if sightline._core.has_viewer():
            with tempfile.TemporaryDirectory() as folder:
                table.to_html(os.path.join(folder, "a.html"))

    def test_relations(self):
        base = box((0, 0, 0), 4)
        for mesh, want in ((box((1, 1, 1)), ("contains", 1, 1.0)), (box((4, 0, 0)), ("touch", None, 0.0)),
                           (box((3.5, 1, 1)), ("clash", None, 0.0)), (box((6, 0, 0)), ("near", None, 2.0)),
                           (box((60, 0, 0)), ("clear", None, math.inf))):
            self.assertEqual(tuple(sightline.relation(base, mesh, clearance=3)), want)

    def test_topology(self):
        vertices, faces = joined(box(), box((5, 0, 0)))
        facts = sightline.topology(vertices, faces + [[0, 0, 1], faces[0]])
        self.assertEqual((facts.components, facts.vertices, facts.duplicates), (2, 16, 1))
        self.assertEqual(facts.degenerate.tolist(), [24])
        self.assertEqual(facts.component.tolist()[:24], [0] * 12 + [1] * 12)
        self.assertTrue(sightline.topology(vertices, faces).closed)
        self.assertFalse(sightline.topology(vertices, faces[1:]).closed)

    def test_sides(self):
        points = [[0.5, 0.5, 0.5], [2, 0, 0], [1, 1, 1], [0.5, 0.5, 0], [0.5, 0.5, -5e-324]]
        self.assertEqual(sightline.side_of(box(), points).tolist(), [1, 0, 2, 2, 0])
        self.assertIs(sightline.side_of(box(), points[0]), sightline.Side.inside)
        for one in (OneRow(points[0]), memoryview(array.array("d", points[0]))):
            self.assertIs(sightline.side_of(box(), one), sightline.Side.inside)
        with self.assertRaisesRegex(ValueError, "points: row 1 has nan"):
            sightline.side_of(box(), [[0, 0, 0], [0, math.nan, 0]])

    def test_intersections(self):
        a = [[0, 0, 0], [4, 0, 0], [0, 4, 0]]
        self.assertEqual(sightline.intersection(a, [[9, 9, 9], [8, 9, 9], [9, 8, 9]]).tolist(), [])
        self.assertEqual(sightline.intersection(a, [[4, 0, 0], [5, 0, 0], [5, 0, 1]]).tolist(), [[4, 0, 0]])
        self.assertEqual(len(sightline.intersection(a, a).tolist()), 3)
        with self.assertRaisesRegex(ValueError, r"b: the shape is \(2, 3\)"):
            sightline.intersection(a, a[:2])

    def test_measures(self):
        body = sightline.extent(*box((0, 0, 0), 2))
        self.assertTrue(body.volume.low <= 8 <= body.volume.high and body.volume.width < 1e-9)
        self.assertTrue(body.area.low <= 24 <= body.area.high)
        self.assertEqual((body.low, body.high), ((0, 0, 0), (2, 2, 2)))
        common = sightline.overlap(box((0, 0, 0), 2), box((1, 1, 1), 2))
        self.assertTrue(common.volume.low <= 1 <= common.volume.high and common.volume.width < 1e-9)
        for axis in common.centroid:
            self.assertTrue(axis.low <= 1.5 <= axis.high)
        self.assertIsNone(sightline.overlap(box(), box((7, 7, 7))).centroid)
        twice = sightline.self_overlap(*joined(box((0, 0, 0), 2), box((1, 1, 1), 2)))
        self.assertTrue(twice.volume.low <= 1 <= twice.volume.high)
        self.assertTrue(twice.area.low <= 6 <= twice.area.high)
        self.assertEqual((twice.low, twice.high), ((1, 1, 1), (2, 2, 2)))
        for axis in twice.centroid:
            self.assertTrue(axis.low <= 1.5 <= axis.high)
        self.assertEqual(sightline.self_overlap(*box()).volume, (0, 0))
        with self.assertRaisesRegex(sightline.Error, "open"):
            sightline.extent(box()[0], box()[1][1:])

    def test_depths(self):
        table = sightline.clash({"a": box((0, 0, 0), 4), "b": box((3.5, 1, 1), 2)}, depth=True, volume=True)
        row = table[0]
        self.assertEqual((row.relation, row.tolerated, row.deepest[0], row.surface[0]), ("clash", False, 3.5, 4.0))
        self.assertTrue(row.depth.low <= 0.5 <= row.depth.high and row.depth.width < 1e-9)
        self.assertTrue(row.volume.low <= 2 <= row.volume.high and row.volume.width < 1e-9)
        self.assertEqual(pickle.loads(pickle.dumps(table))[0], row)
        self.assertEqual((row.overlap.volume, row.separation), (row.volume, None))
        self.assertTrue(row.overlap.area.low <= 12 <= row.overlap.area.high)
        self.assertEqual((row.overlap.low, row.overlap.high), ((3.5, 1, 1), (4, 3, 3)))
        moved = sightline.clash([box((0, 0, 0), 4), box((3.5, 1, 1), 2)], separation=True)
        self.assertEqual((moved[0].depth, moved[0].overlap), (None, None))
        self.assertEqual(moved[0].separation, sightline.separation(box((0, 0, 0), 4), box((3.5, 1, 1), 2)))
        self.assertEqual(pickle.loads(pickle.dumps(moved))[0], moved[0])
        self.assertIn("<th>separation</th>", moved._repr_html_())
        self.assertNotIn("<th>separation</th>", table._repr_html_())
        if sightline._core.has_viewer():
            with tempfile.TemporaryDirectory() as folder:
                moved.to_html(os.path.join(folder, "page.html"))
        touch = sightline.clash([box((0, 0, 0), 4), box((3.5, 1, 1), 2)], tolerance=0.6)[0]
        self.assertEqual((touch.relation, touch.tolerated, touch.depth), ("touch", True, None))
        self.assertEqual(sightline.clash([box((0, 0, 0), 4), box((3.5, 1, 1), 2)], tolerance=0.4)[0].relation, "clash")
        both = sightline.protrusions(box((0, 0, 0), 4), box((3.5, 1, 1), 2))
        for one in both:
            self.assertTrue(one.depth.low <= 0.5 <= one.depth.high and one.depth.width < 1e-9)
        self.assertEqual(max(one.depth.low for one in both), row.depth.low)
        apart = sightline.protrusions(box(), box((5, 0, 0)))
        self.assertEqual((apart.a.depth, apart.b.depth), ((0, 0), (0, 0)))
        way = sightline.separation(box((0, 0, 0), 4), box((3.5, 1, 1), 2))
        self.assertTrue(0.5 <= way.lower_bound + 1e-9 and way.lower_bound <= way.length < 0.51)
        moved = [[x + t for x, t in zip(p, way.translation)] for p in box((0, 0, 0), 4)[0]]
        self.assertEqual(sightline.relation((moved, box()[1]), box((3.5, 1, 1), 2)).relation, "clear")
        with self.assertRaisesRegex(sightline.Error, "open"):
            sightline.protrusions((box()[0], box()[1][1:]), box())
        with self.assertRaisesRegex(sightline.Error, "tolerance is -1"):
            sightline.clash([box(), box()], tolerance=-1)
        normals = sightline.contact_normals(table.report)
        self.assertEqual(len(normals.depths.tolist()), len(table.report))
        for direction in normals.directions.tolist():
            self.assertAlmostEqual(sum(x * x for x in direction), 1)
        with tempfile.TemporaryDirectory() as folder:
            if sightline._core.has_viewer():
                table.to_html(os.path.join(folder, "a.html"))

    def test_places_of_contact(self):
        scene = sightline.Scene()
        scene.add("floor", [[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], [[0, 1, 2], [0, 2, 3]])
        scene.add("feet", *joined(box((1, 1, -0.25)), box((-5, 2, -0.5)), box((4, -4, -0.125))))
        report = scene.collide()
        places = report.clusters()
        self.assertEqual(len(places), 3)
        self.assertEqual(sorted(c for place in places for c in place), sorted(report))
        depths = []
        for place in places:
            self.assertEqual((place.found, place.complete, place.names), (len(report), False, report.names))
            way = sightline.cluster_separation(place)
            self.assertTrue(0.12 < way.lower_bound <= way.length <= 0.51)
            moved = [[x + t for x, t in zip(p, way.translation)] for p in scene.mesh("floor").vertices.tolist()]
            feet = sorted({c.b for c in place})
            apart = sightline.distance((moved, [scene.mesh("floor").faces.tolist()[i] for i in {c.a for c in place}]),
                                       (scene.mesh("feet").vertices, [scene.mesh("feet").faces.tolist()[i] for i in feet]))
            self.assertGreater(apart, 0)
            found = sightline.manifold(place)
            self.assertAlmostEqual(sum(x * x for x in found.direction), 1)
            self.assertEqual(len(found.points.tolist()), 4)
            self.assertTrue(all(p[2] == 0 for p in found.points.tolist()))
            self.assertLessEqual(way.length, found.depth * 1.001)
            depths.append(way.length)
        for depth, want in zip(sorted(depths), (0.125, 0.25, 0.5)):
            self.assertTrue(want <= depth < 1.01 * want, depth)
        self.assertEqual([list(place) for place in report.clusters(threads=1)], [list(place) for place in places])
        none = report[:0]
        self.assertEqual((none.clusters(), sightline.manifold(none).points.tolist()), ([], []))
        self.assertEqual(sightline.cluster_separation(none).length, 0)
        scene.add("wall", *box((-2, 1, -0.25), 4))
        for call in (sightline.manifold, sightline.cluster_separation):
            with self.assertRaisesRegex(ValueError, f"{call.__name__}: the contacts are of more than one pair"):
                call(scene.collide())
        twice = sightline.self_intersections(*soup(300))
        with self.assertRaisesRegex(ValueError, r"triangle \d+ is on both sides of these contacts"):
            sightline.cluster_separation(twice)
        self.assertGreater(sightline.cluster_separation(twice[:1]).length, 0)

    def test_curves(self):
        report = sightline.self_intersections(*joined(box((0, 0, 0), 2), box((1, 1, 1), 2)))
        found = sightline.curves(report)
        self.assertTrue(any(curve.closed and curve.crossing for curve in found.curves))
        total = sum(curve.length.middle for curve in found.curves)
        self.assertAlmostEqual(total, 6.0)  # the overlap is a unit cube; six of its edges are on both surfaces
        scene = sightline.Scene()
        for i in range(3):
            scene.add(str(i), *box((i, i, i), 2))
        contacts = scene.collide()
        with self.assertRaisesRegex(ValueError, "more than one pair"):
            sightline.curves(contacts)
        part = sightline.curves(contacts.select("1", "0"))
        self.assertAlmostEqual(sum(curve.length.middle for curve in part.curves), 6.0)
        self.assertEqual(len(sightline.curves(sightline.self_intersections(*box())).curves), 0)


class Files(unittest.TestCase):
    def test_round_trips(self):
        vertices, faces = soup(50)
        with tempfile.TemporaryDirectory() as folder:
            for extension in ("ply", "obj", "off"):
                path = os.path.join(folder, f"mesh.{extension}")
                sightline.write(path, (vertices, faces))
                mesh = sightline.read(path)
                self.assertEqual((mesh.vertices.tolist(), mesh.faces.tolist()), (vertices, faces))
            path = os.path.join(folder, "parts.obj")
            one = sightline.Mesh(*box(), name="one")
            moved = one.placed([[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0]]).renamed("two")
            sightline.write(path, one, moved)
            parts = sightline.read_parts(path)
            self.assertEqual([part.name for part in parts], ["one", "two"])
            self.assertEqual(sightline.distance(*parts), 4.0)
            with self.assertRaisesRegex(sightline.Error, "float32"):
                sightline.write(os.path.join(folder, "x.stl"), ([[0.1, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))

    def test_names_and_paths_that_are_not_utf_8(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.fsdecode(b"m\xe4sh.obj"))
            with open(path, "wb") as file:
                file.write(b"o \xfcber\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
            self.assertEqual(sightline.read_parts(path)[0].name, "\ufffdber")
            with open(path, "wb") as file:
                file.write(b"o \xfcber\nv 0 0 x\xfc\n")
            with self.assertRaisesRegex(sightline.Error, ":2: z"):
                sightline.read(path)

    def test_bad_files(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(FileNotFoundError):
                sightline.read(os.path.join(folder, "none.stl"))
            path = os.path.join(folder, "bad.off")
            with open(path, "w") as file:
                file.write("OFF\n3 1 0\n0 0 0\n1 0 x\n0 1 0\n3 0 1 2\n")
            for call in (sightline.read, sightline.read_parts, sightline.check, sightline.clash):
                with self.assertRaisesRegex(sightline.Error, "bad.off"):
                    call(path)


if __name__ == "__main__":
    unittest.main()
