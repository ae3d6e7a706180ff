"""Lists equal those of the tool, which are those of the C++ library; results keep what they hold."""
import os
import pickle
import struct
import sys
import tempfile
import threading
import unittest

import sightline
from support import TOOL, box, generated, joined, listed, listed_by_tool, soup, tool_report

CROSSING = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1], [2, 1, 1]]
SCENES = [("tube", ()), ("cloth", ("--triangles", "3000")), ("bodies", ("--triangles", "3000")),
          ("soup", ("--triangles", "3000")), ("sphere", ()), ("assembly", ()), ("building", ("--triangles", "3000")),
          ("two-cows", ("--triangles", "3000")), ("torn-cloth", ("--frame", "40"))]


@unittest.skipUnless(TOOL, "SIGHTLINE_TOOL does not name the tool")
class AgainstTheTool(unittest.TestCase):
    def test_lists_kinds_and_points_are_those_of_the_tool(self):
        found = 0
        with tempfile.TemporaryDirectory() as folder:
            for name, options in SCENES:
                for extension in ("ply", "obj"):
                    with self.subTest(scene=name, file=extension):
                        path = generated(name, folder, extension, *options)
                        want = tool_report(path)
                        mesh = sightline.read(path)
                        for threads in (0, 1, 3):
                            report = sightline.self_intersections(mesh, threads=threads)
                            self.assertEqual(listed(report), listed_by_tool(want))
                        self.assertEqual((report.found, report.complete), (want["found"], want["complete"]))
                        self.assertEqual(report.counts, want["counts"])
                        again = sightline.self_intersections(mesh.vertices, mesh.faces)
                        self.assertEqual(again, report)
                        found += report.found
        self.assertGreater(found, 5000)

    def test_check_has_the_facts_of_the_tool(self):
        with tempfile.TemporaryDirectory() as folder:
            path = generated("tube", folder, "stl")
            want, got = tool_report(path), sightline.check(path).to_dict()
            for key in ("triangles", "vertices", "components", "closed", "open_edges", "nonmanifold_edges", "duplicates",
                        "found", "complete", "counts"):
                self.assertEqual(got[key], want[key], key)
            self.assertEqual(got["degenerate"], len(want["degenerate"]))


class Results(unittest.TestCase):
    def setUp(self):
        self.vertices, self.faces = soup(300)
        self.report = sightline.self_intersections(self.vertices, self.faces)

    def test_first_and_max_contacts(self):
        all_of = self.report
        one = sightline.self_intersections(self.vertices, self.faces, first=True)
        self.assertEqual((len(one), one.complete), (1, False))
        self.assertIn(one[0], list(all_of))
        some = sightline.self_intersections(self.vertices, self.faces, max_contacts=5)
        self.assertEqual(list(some), list(all_of)[:5])
        self.assertEqual((some.found, some.complete), (all_of.found, False))
        self.assertIn("not complete", repr(some))

    def test_pickles_hold_everything(self):
        again = pickle.loads(pickle.dumps(self.report))
        self.assertEqual(again, self.report)
        self.assertEqual(listed(again), listed(self.report))
        self.assertEqual(again.stats, self.report.stats)
        self.assertEqual(repr(again), repr(self.report))
        empty = sightline.self_intersections([], [])
        self.assertEqual(pickle.loads(pickle.dumps(empty)), empty)
        placed = sightline.Mesh(self.vertices, self.faces, "name", [[2, 0, 0, 1], [0, 2, 0, 0], [0, 0, 2, 0]])
        copy = pickle.loads(pickle.dumps(placed))
        self.assertEqual((copy.name, copy.transform.tolist()), ("name", placed.transform.tolist()))
        self.assertEqual(copy.placed_vertices.tolist(), placed.placed_vertices.tolist())

    def test_an_untrusted_pickle_is_checked(self):
        core = self.report._core
        with self.assertRaisesRegex(ValueError, "cut off"):
            type(core).restored(core.stored()[:-1], 1, True, core.meshes())
        with self.assertRaisesRegex(ValueError, "kind 9"):
            type(core).restored(core.stored()[:16] + b"\x09", 1, True, core.meshes())
        stored = type(core).restored((5).to_bytes(4, sys.byteorder) * 4 + b"\x00", 1, True, core.meshes())
        with self.assertRaisesRegex(ValueError, "object 5 has no mesh"):
            stored.points()
        for call in (sightline.Report(stored).clusters, lambda: sightline.Report(stored).to_png(os.devnull)):
            with self.assertRaisesRegex(ValueError, "object 5 has no mesh"):
                call()
        out_of_range = type(core).restored(bytes(8) + b"\xff" * 8 + b"\x00", 1, True, core.meshes())
        with self.assertRaises(sightline.Error):
            out_of_range.points()
        for call in (sightline.Report(out_of_range).clusters, lambda: sightline.Report(out_of_range).to_png(os.devnull)):
            with self.assertRaisesRegex(ValueError, "triangle 4294967295 of object 0, which has fewer"):
                call()

    def test_indexing_and_equality(self):
        self.assertEqual(self.report[-1], list(self.report)[-1])
        for bad in (len(self.report), -len(self.report) - 1, 2**70):
            with self.assertRaisesRegex(IndexError, "there are"):
                self.report[bad]
        for bad in (0.5, "x", None):
            with self.assertRaisesRegex(TypeError, f"a contact has a number, not {type(bad).__name__}"):
                self.report[bad]
        for bad in (-1, 2.5, "x", 2**64):
            with self.assertRaisesRegex(ValueError, "max_contacts: .* is not a number of contacts"):
                sightline.self_intersections(self.vertices, self.faces, max_contacts=bad)
        self.assertNotEqual(self.report, sightline.self_intersections(self.vertices, self.faces, max_contacts=1))
        self.assertNotEqual(self.report, 3)

    def test_some_contacts_are_a_report(self):
        every = list(self.report)
        for some in (slice(0, 1), slice(None), slice(5, None, 3), slice(-2, None), slice(None, None, -1), slice(3, 3)):
            part = self.report[some]
            self.assertEqual(list(part), every[some])
            self.assertEqual((part.found, part.complete), (len(every), len(part) == len(every)))
        taken = self.report.take([7, 2])
        self.assertEqual(list(taken), [every[7], every[2]])
        self.assertEqual(listed(taken), [listed(self.report)[i] for i in (7, 2)])
        self.assertIn("of 300 triangles, not complete", repr(taken))
        self.assertEqual(list(pickle.loads(pickle.dumps(taken))), list(taken))
        with self.assertRaisesRegex(IndexError, "there are"):
            self.report.take([len(every)])
        with self.assertRaisesRegex(TypeError, "a contact has a number, not float"):
            self.report.take([0.5])

    def test_wrong_arguments_are_named(self):
        v, f, mesh = self.vertices, self.faces, sightline.Mesh(self.vertices, self.faces)
        scene = sightline.Scene()
        for call, error, text in (
                (lambda: sightline.self_intersections(v, f, threads=-1), ValueError,
                 "threads is -1, which is not between 0 and 4294967295"),
                (lambda: sightline.self_intersections(v, f, threads=2**40), ValueError,
                 f"threads is {2**40}, which is not between 0 and 4294967295"),
                (lambda: sightline.self_intersections(v, f, threads=2.5), TypeError, "threads is an integer, not float"),
                (lambda: sightline.self_intersections(v, f, first="x"), TypeError, "first is a bool, not str"),
                (lambda: sightline.self_intersections(v, f, device=3), TypeError, "device is a string, not int"),
                (lambda: sightline.Mesh(v, f, name=object()), TypeError, "name is a string, not object"),
                (lambda: sightline.clash({1: mesh}), TypeError, "name is a string, not int"),
                (lambda: sightline.clash([mesh], clearance="1 mm"), TypeError, "clearance is a number, not str"),
                (lambda: sightline.clash([mesh], tolerance=mesh), TypeError, "tolerance is a number, not Mesh"),
                (lambda: sightline.clash([mesh], depth="yes"), TypeError, "depth is a bool, not str"),
                (lambda: sightline.distance(mesh, mesh, threads=None), TypeError, "threads is an integer, not NoneType"),
                (lambda: sightline.overlap(mesh, mesh, threads="2"), TypeError, "threads is an integer, not str"),
                (lambda: sightline.side_of(mesh, [1, 2, 3], threads=-2), ValueError, "threads is -2"),
                (lambda: sightline.read(os.devnull, threads=[]), TypeError, "threads is an integer, not list"),
                (lambda: sightline.Scene(device=None), TypeError, "device is a string, not NoneType"),
                (lambda: scene.add(3, v, f), TypeError, "name is a string, not int"),
                (lambda: scene.add("a", v, f, groups=-1), ValueError, "groups is -1"),
                (lambda: scene.collide(threads="all"), TypeError, "threads is an integer, not str"),
                (lambda: self.report.to_png(os.devnull, width=0.5), TypeError, "width is an integer, not float"),
                (lambda: self.report.to_html(os.devnull, title=3), TypeError, "title is a string, not int"),
                (lambda: self.report.points("2"), TypeError, "threads is an integer, not str"),
                (lambda: self.report.select("floor", 0), KeyError, "there is no object 'floor'")):
            with self.subTest(text=text), self.assertRaises(error) as caught:
                call()
            self.assertIn(text, str(caught.exception))
            self.assertNotIn("0x", str(caught.exception))

    def test_arrays_that_went_bad_are_noticed(self):
        faces = memoryview(bytearray(struct.pack("6I", 0, 1, 2, 3, 4, 5))).cast("I", (2, 3))
        report = sightline.self_intersections(CROSSING, faces)
        self.assertEqual(len(report.points().coordinates), 2)
        faces[1, 1] = 4_000_000_000
        for call in (report.points, lambda: report.to_png(os.devnull), lambda: sightline.curves(report)):
            with self.assertRaisesRegex(ValueError, "index 4000000000 is out of range"):
                call()

    def test_a_forked_process_can_query(self):
        pid = os.fork()
        if pid == 0:
            same = sightline.self_intersections(self.vertices, self.faces, threads=2) == self.report
            os._exit(0 if same else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_several_threads_query_at_once(self):
        want, wrong = listed(self.report), []

        def work(seed):
            for _ in range(20):
                if listed(sightline.self_intersections(self.vertices, self.faces, threads=1 + seed % 3)) != want:
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_objects_of_other_libraries(self):
        class Trimesh:
            def __init__(self, vertices, faces):
                self.vertices, self.faces = vertices, faces

        class Open3D:
            def __init__(self, vertices, faces):
                self.vertices, self.triangles = vertices, faces

        for kind in (Trimesh, Open3D):
            self.assertEqual(sightline.self_intersections(kind(self.vertices, self.faces)), self.report)
        self.assertEqual(sightline.self_intersections((self.vertices, self.faces)), self.report)


class Seeing(unittest.TestCase):
    def test_picture_and_page(self):
        report = sightline.self_intersections(*joined(box(), box((0.5, 0.5, 0.5))))
        self.assertGreater(len(report), 0)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.png")
            report.to_png(path, 200, 120)
            with open(path, "rb") as file:
                picture = file.read()
            self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(int.from_bytes(picture[16:20], "big"), 200)
            again = os.path.join(folder, "b.png")
            report.to_png(again, 200, 120)
            with open(again, "rb") as file:
                self.assertEqual(file.read(), picture)
            with self.assertRaises(sightline.Error):
                report.to_png(path, 1, 1)
            with self.assertRaises(sightline.Error):
                report.to_png(os.path.join(folder, "no", "folder.png"))
            if not sightline._core.has_viewer():
                with self.assertRaisesRegex(sightline.Error, "no viewer"):
                    report.to_html(path)
                self.assertIsNone(report._repr_html_())
                return
            page = os.path.join(folder, "a.html")
            report.to_html(page, "<two> boxes")
            with open(page, encoding="utf-8") as file:
                text = file.read()
            self.assertTrue(text.lower().startswith("<!doctype html"))
            self.assertTrue("&#60;two&#62; boxes" in text and "<two>" not in text)
            inline = report._repr_html_()
            self.assertTrue("<iframe" in inline and "default-src" in inline)  # the page's policy forbids any network

    def test_checks_and_tables_show_themselves(self):
        base = sightline.Mesh(*box((0, 0, 0), 4), name="<base>")
        table = sightline.clash([base, sightline.Mesh(*box((3.5, 1, 1), 2), name="pin")], depth=True, volume=True)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two & two.off")
            sightline.write(path, joined(box(), box((0.5, 0.5, 0.5))))
            checked = sightline.check(path)
            for one in (table, checked, table.report):
                picture, page = os.path.join(folder, "a.png"), os.path.join(folder, "a.html")
                one.to_png(picture, 100, 80)
                with open(picture, "rb") as file:
                    self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
                if sightline._core.has_viewer():
                    one.to_html(page)
                    self.assertGreater(os.path.getsize(page), 100_000)
                    self.assertEqual(one._repr_html_().count("<iframe"), 1)
            if sightline._core.has_viewer():
                checked.to_html(page)
                with open(page, encoding="utf-8") as file:
                    self.assertIn("two &#38; two.off", file.read())
            shown = checked._repr_html_().split("<iframe")[0]
            self.assertIn("<th>closed</th>", shown)
            self.assertIn("contacts", shown)
        shown = table._repr_html_().split("<iframe")[0]
        self.assertIn("<p>1 pair of parts</p>", shown)
        self.assertIn("<td>&lt;base&gt;</td><td>pin</td><td>clash</td><td>0</td><td>12</td><td>0.5</td><td>2</td>", shown)
        short = sightline.clash({f"{i:03}": box((i, 0, 0)) for i in range(300)}, relations_only=True)
        shown = short._repr_html_()
        self.assertEqual(shown.count("<tr>"), 201)
        self.assertIn("<p>and 99 more pairs</p>", shown)
        self.assertNotIn("<iframe", shown)
        for call in (short.to_png, short.to_html):
            with self.assertRaisesRegex(ValueError, "relations_only left no contacts to show"):
                call(os.devnull)


if __name__ == "__main__":
    unittest.main()
