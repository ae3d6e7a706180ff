"""Scenes equal scenes that are made for the frame; the manager's answers equal those of relations."""
import gc
import itertools
import math
import random
import unittest

import sightline
from support import box, joined, soup

FACES = box()[1]


def shift(by):
    return [[1, 0, 0, by[0]], [0, 1, 0, by[1]], [0, 0, 1, by[2]], [0, 0, 0, 1]]


def named(report):
    return [(report.names[c.object_a], report.names[c.object_b], c.a, c.b, c.kind) for c in report]


class Scenes(unittest.TestCase):
    def test_changes_give_what_a_new_scene_gives(self):
        chance = random.Random(3)
        scene, now = sightline.Scene(), {}
        for step in range(120):
            name = f"object {chance.randrange(8)}"
            place = [chance.randrange(5) / 2 for _ in range(3)]
            if name not in now:
                now[name] = [*box(), shift(place)]
                scene.add(name, now[name][0], FACES, transform=shift(place))
            elif step % 5 == 0:
                scene.remove(name)
                del now[name]
            elif step % 5 == 1 and now[name][1] == FACES:
                now[name][0] = box(place, 1.5)[0]
                scene.move(name, now[name][0])
            elif step % 5 == 2:
                now[name] = [*soup(12, step), shift(place)]
                scene.replace(name, now[name][0], now[name][1], transform=shift(place))
            else:
                now[name][2] = shift(place)
                scene.transform(name, shift(place))
            fresh = sightline.Scene()
            order = sorted(now, key=lambda key: scene._ids[key])
            for key in order:
                fresh.add(key, now[key][0], now[key][1], transform=now[key][2])
            got, want = scene.collide(), fresh.collide()
            self.assertEqual(named(got), named(want), f"step {step}")
            self.assertEqual(got.points().coordinates.tolist(), want.points().coordinates.tolist(), f"step {step}")
        self.assertEqual(sorted(scene), sorted(now))

    def test_the_scene_keeps_the_arrays(self):
        scene = sightline.Scene()
        for i in range(3):
            scene.add(str(i), bytearray_rows(box((0.5 * i, 0.25 * i, 0.25 * i))[0]), FACES)
        gc.collect()
        want = named(scene.collide())
        trash = [bytearray(200) for _ in range(100)]
        self.assertEqual(named(scene.collide()), want)
        self.assertEqual(scene.mesh("1").vertices.tolist(), box((0.5, 0.25, 0.25))[0])
        del trash

    def test_positions_may_be_written_over(self):
        data = bytearray_rows(box()[0])
        scene = sightline.Scene()
        scene.add("moves", data, FACES)
        scene.add("rests", *box((0.5, 0.5, 0.5)))
        self.assertGreater(len(scene.collide()), 0)
        for row in range(8):
            data[row, 0] = data[row, 0] + 10.0
        scene.move("moves", data)
        self.assertEqual(len(scene.collide()), 0)

    def test_groups_and_self_contacts(self):
        scene = sightline.Scene()
        for i in range(3):
            scene.add(str(i), *box((0.5 * i, 0.25, 0.25)), groups=1 << (i % 2), collides_with=1 << (1 - i % 2))
        self.assertEqual({(a, b) for a, b, *_ in named(scene.collide())}, {("0", "1"), ("1", "2")})
        scene.set_options("0")
        scene.add("own", *joined(box((9, 9, 9)), box((9.5, 9.5, 9.5))), self_contacts=True)
        self.assertIn("own", {a for a, *_ in named(scene.collide())})

    def test_errors_name_the_object_and_leave_the_scene(self):
        scene = sightline.Scene()
        scene.add("part", *box())
        with self.assertRaisesRegex(ValueError, "there is an object 'part' already"):
            scene.add("part", *box())
        for call in (lambda: scene.move("x", []), lambda: scene.remove("x"), lambda: scene.transform("x", None)):
            with self.assertRaisesRegex(KeyError, "there is no object 'x'"):
                call()
        bad = box()[0]
        bad[3] = [0, math.nan, 0]
        with self.assertRaisesRegex(ValueError, "part: vertices: row 3 is "):
            scene.move("part", bad)
        with self.assertRaisesRegex(ValueError, "part: faces: row 3 .*index 7 is out of range"):
            scene.move("part", box()[0][:7])
        with self.assertRaisesRegex(ValueError, "other: vertices: row 3 is "):
            scene.add("other", bad, FACES)
        with self.assertRaisesRegex(ValueError, "last row"):
            scene.transform("part", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]])
        with self.assertRaisesRegex(ValueError, r"the shape is \(2, 4\)"):
            scene.transform("part", [[1, 0, 0, 0], [0, 1, 0, 0]])
        self.assertEqual(list(scene), ["part"])
        self.assertEqual(len(scene.collide()), 0)

    def test_a_report_keeps_the_objects_of_its_frame(self):
        scene = sightline.Scene()
        scene.add("a", *box())
        scene.add("b", *box((0.5, 0.5, 0.5)))
        report = scene.collide()
        want = report.points().coordinates.tolist()
        scene.remove("a")
        scene.transform("b", shift((5, 0, 0)))
        self.assertEqual(report.points().coordinates.tolist(), want)
        self.assertEqual(report.names, ["a", "b"])


class Manager(unittest.TestCase):
    def pairs(self, touching, containment):
        """Boxes that cross, touch, contain each other, or are apart."""
        parts = {"base": box((0, 0, 0), 4), "crosses": box((3, 3, 3), 2), "touches": box((4, 0, 0), 1),
                 "inside": box((1, 1, 1), 1), "apart": box((20, 0, 0), 1)}
        manager = sightline.CollisionManager(touching=touching, containment=containment)
        for name, mesh in parts.items():
            manager.add_object(name, mesh)
        return parts, manager

    def test_touching_and_containment_are_as_documented(self):
        for touching, containment in itertools.product((True, False), repeat=2):
            parts, manager = self.pairs(touching, containment)
            want = {("base", "crosses")}
            want |= {("base", "touches")} if touching else set()
            want |= {("base", "inside")} if containment else set()
            hit, names = manager.in_collision_internal(return_names=True)
            self.assertEqual((hit, names), (True, want))
            hit, names, data = manager.in_collision_single(parts["base"], return_names=True, return_data=True)
            self.assertTrue(hit)
            self.assertEqual("touches" in names, touching)
            self.assertEqual("inside" in names, containment)
            self.assertEqual("apart" in names, False)
            self.assertTrue(all("__external" in contact.names for contact in data))
            self.assertEqual(manager.in_collision_single(box((40, 0, 0)), return_names=True), (False, set()))

    def test_data_names_triangles_that_meet_at_the_point(self):
        parts, manager = self.pairs(True, False)
        _, data = manager.in_collision_internal(return_data=True)
        self.assertGreater(len(data), 0)
        for contact in data:
            first, second = sorted(contact.names)
            corners = [[parts[n][0][v] for v in FACES[contact.index(n)]] for n in (first, second)]
            self.assertIn(contact.point, sightline.intersection(*corners).tolist())

    def test_distances_are_those_of_all_pairs(self):
        for seed in range(20):
            with self.subTest(seed=seed):
                self.compare_distances(random.Random(seed))

    def compare_distances(self, chance):
        manager, other = sightline.CollisionManager(), sightline.CollisionManager()
        meshes = {}
        for i in range(14):  # long triangles, whose boxes are nearer than they are
            middle = [chance.random() * 100 for _ in range(3)]
            mesh = [[m + chance.uniform(-20, 20) for m in middle] for _ in range(3)], [[0, 1, 2]]
            (manager if i < 9 else other).add_object(str(i), mesh)
            meshes[str(i)] = mesh
        own, others = [str(i) for i in range(9)], [str(i) for i in range(9, 14)]
        brute = min((sightline.distance(meshes[a], meshes[b]), {a, b}) for a, b in itertools.combinations(own, 2))
        distance, names, data = manager.min_distance_internal(return_names=True, return_data=True)
        self.assertEqual((distance, set(names), data.distance), (*brute, distance))
        brute = min((sightline.distance(meshes[a], meshes[b]), (a, b)) for a in own for b in others)
        self.assertEqual(manager.min_distance_other(other, return_names=True), brute)
        brute = min((sightline.distance(meshes["9"], meshes[a]), a) for a in own)
        self.assertEqual(manager.min_distance_single(meshes["9"], return_name=True), brute)

    def test_special_distances(self):
        parts, manager = self.pairs(True, False)
        self.assertEqual(manager.min_distance_internal(), 0.0)
        manager.remove_object("crosses")
        manager.remove_object("touches")
        self.assertEqual(manager.min_distance_internal(return_names=True), (1.0, ("base", "inside")))
        self.assertEqual(sightline.CollisionManager().min_distance_internal(return_names=True), (math.inf, None))
        self.assertEqual(sightline.distance(parts["base"], ([], [])), math.inf)

    def test_transforms_replace_each_other(self):
        manager = sightline.CollisionManager()
        manager.add_object("a", box())
        manager.add_object("b", box(), shift((1.5, 0, 0)))
        self.assertFalse(manager.in_collision_internal())
        manager.set_transform("b", shift((0.5, 0, 0)))
        self.assertTrue(manager.in_collision_internal())
        manager.set_transform("b", shift((3, 0, 0)))
        self.assertEqual(manager.min_distance_internal(), 2.0)
        manager.add_object("b", box((0.5, 0, 0)))
        self.assertTrue(manager.in_collision_internal())
        with self.assertRaisesRegex(ValueError, "c not in collision manager"):
            manager.set_transform("c", None)

    def test_other_managers(self):
        _, manager = self.pairs(True, False)
        other = sightline.CollisionManager()
        other.add_object("probe", box((4.5, 0.5, 0.5), 0.25))
        self.assertFalse(manager.in_collision_other(other))
        other.add_object("probe", box((4.5, 0.5, 0.5), 1))
        self.assertEqual(manager.in_collision_other(other, return_names=True), (True, {("touches", "probe")}))


def bytearray_rows(values):
    import array

    return memoryview(array.array("d", [x for row in values for x in row])).cast("B").cast("d", (len(values), 3))


if __name__ == "__main__":
    unittest.main()
