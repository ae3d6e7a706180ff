"""Every accepted type of array gives the same list, and every bad one an error that names the row and the value."""
import array
import gc
import struct
import unittest
import weakref

import sightline
from support import listed, soup

try:
    import numpy as np
    from forms import OnlyDlpack, face_forms, vertex_forms
except ImportError:
    np = None

VERTICES, FACES = soup(300)


def expected():
    return listed(sightline.self_intersections(VERTICES, FACES))


class OnGpu:
    """Claims to be in the memory of a GPU."""

    def __init__(self, device=2, interface=False):
        self.device = device
        if interface:
            self.__cuda_array_interface__ = {"typestr": "<f4", "shape": (4, 3), "data": (4096, False), "version": 3}

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, stream=None):
        raise AssertionError("an array of a GPU must not be read on the CPU")


def rows(values, letter):
    flat = array.array(letter, [x for row in values for x in row])
    return memoryview(flat).cast("B").cast(letter, (len(values), 3))


class WithoutNumPy(unittest.TestCase):
    def test_lists_tuples_and_memoryviews_give_one_list(self):
        want = expected()
        self.assertGreater(len(want), 20)
        for vertices in (VERTICES, tuple(map(tuple, VERTICES)), rows(VERTICES, "f"), rows(VERTICES, "d")):
            for faces in (FACES, rows(FACES, "I"), rows(FACES, "i"), rows(FACES, "q"), rows(FACES, "Q"), rows(FACES, "H")):
                self.assertEqual(listed(sightline.self_intersections(vertices, faces)), want)

    def test_plain_memory_is_not_copied(self):
        for letter, copied in (("f", False), ("d", False)):
            mesh = sightline.Mesh(rows(VERTICES, letter), rows(FACES, "I"))
            self.assertEqual(mesh.copied, (copied, False))
        self.assertEqual(sightline.Mesh(rows(VERTICES, "d"), rows(FACES, "i")).copied, (False, False))
        self.assertEqual(sightline.Mesh(rows(VERTICES, "d"), rows(FACES, "q")).copied, (False, True))

    def test_memory_is_released_with_the_last_user(self):
        data = bytearray(struct.pack("9d", 0, 0, 0, 1, 0, 0, 0, 1, 0))
        report = sightline.self_intersections(memoryview(data).cast("d", (3, 3)), [[0, 1, 2]])
        with self.assertRaises(BufferError):
            data.extend(b"x")  # the report still views it
        del report
        gc.collect()
        data.extend(b"x")

    def test_empty_meshes(self):
        for vertices, faces in (([], []), (VERTICES, []), (rows(VERTICES, "f"), [])):
            self.assertEqual(len(sightline.self_intersections(vertices, faces)), 0)

    def expect(self, error, text, vertices, faces):
        with self.assertRaises(error) as caught:
            sightline.self_intersections(vertices, faces)
        self.assertEqual(str(caught.exception), text)

    def test_errors_name_row_and_value(self):
        good = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]
        for bad in (float("nan"), float("inf"), float("-inf")):
            vertices = [[0.0, 0, 0], [1, bad, 0], [0, 1, 0]]
            text = f"vertices: row 1 is [1.0, {bad!r}, 0.0], which is not finite"
            for form in (vertices, rows(vertices, "f"), rows(vertices, "d")):
                self.expect(ValueError, text, form, [[0, 1, 2]])
        range_text = "which is out of range: there are 3 vertices"
        self.expect(ValueError, f"faces: row 1 has the index 3, {range_text}", good, [[0, 1, 2], [0, 3, 1]])
        self.expect(ValueError, f"faces: row 0 has the index 3, {range_text}", good, rows([[0, 1, 3]], "q"))
        self.expect(ValueError, f"faces: row 1 has the index {2**40}, {range_text}", good, rows([[0, 1, 2], [0, 2**40, 1]], "q"))
        self.expect(ValueError, f"faces: row 0 has the index {2**64 - 1}, {range_text}", good, rows([[0, 2**64 - 1, 1]], "Q"))
        self.expect(ValueError, f"faces: row 0 has the index {10**30}, {range_text}", good, [[0, 1, 10**30]])
        self.expect(ValueError, "faces: row 0 has the index -1, which is negative", good, [[0, -1, 2]])
        self.expect(ValueError, "faces: row 1 has the index -7, which is negative", good, rows([[0, 1, 2], [0, 1, -7]], "q"))
        self.expect(ValueError, "faces: row 1 is [0, 1, -7]: the index -7 is negative", good, rows([[0, 1, 2], [0, 1, -7]], "i"))
        self.expect(ValueError, "faces: row 0 is [0, 1, 3]: the index 3 is out of range: there are 3 vertices", good,
                    rows([[0, 1, 3]], "I"))
        self.expect(TypeError, "faces: row 0 has 1.5, which is no integer", good, [[0, 1.5, 2]])
        self.expect(TypeError, "faces: the elements are float64, not integers", good, rows([[0, 1, 2]], "d"))
        self.expect(ValueError, "vertices: row 1 is [1, 0], not 3 numbers", [[0, 0, 0], [1, 0]], [[0, 1, 2]])
        self.expect(ValueError, "vertices: row 0 has 'x', which is no number", [["x", 0, 0]], [])
        self.expect(ValueError, f"vertices: row 0 has {2**53 + 1}, which is not a float64 number",
                    rows([[2**53 + 1, 0, 0]], "q"), [])

    def test_wrong_shapes_and_types(self):
        flat = memoryview(array.array("d", range(9)))
        for bad in (flat, flat.cast("B").cast("d", (1, 9)), flat.cast("B").cast("d", (9, 1))):
            with self.assertRaisesRegex(ValueError, r"vertices: the shape is \(.*\), not \(n, 3\)"):
                sightline.self_intersections(bad, [])
        for bad in (5, None, "abc", object()):
            with self.assertRaisesRegex(TypeError, "vertices: .* is no array"):
                sightline.self_intersections(bad, [[0, 1, 2]])
        with self.assertRaisesRegex(TypeError, "a mesh is a sightline.Mesh, a pair"):
            sightline.self_intersections(VERTICES)

    def test_memory_of_a_gpu_is_refused_or_needs_cuda(self):
        for where in (OnGpu(), OnGpu(13), OnGpu(interface=True)):
            with self.assertRaisesRegex(ValueError, "vertices: the array is in the memory of a GPU.*self_intersections_gpu"):
                sightline.self_intersections(where, FACES)
            with self.assertRaisesRegex(ValueError, "faces: the array is not in the memory of a GPU"):
                sightline.self_intersections_gpu(OnGpu(interface=True), FACES)
        with self.assertRaisesRegex(ValueError, "DLPack's type 8"):
            sightline.self_intersections(OnGpu(8), FACES)


class BufferOnGpu(bytearray):
    """As CuPy's arrays: a buffer protocol, although the elements are on a GPU."""


class GpuPath(unittest.TestCase):
    def test_without_cuda_the_error_names_what_is_missing(self):
        if any(d["name"] == "cuda" and not d["missing"] for d in sightline.devices()):
            self.skipTest("this machine has a GPU")
        vertices, faces = OnGpu(interface=True), OnGpu(interface=True)
        faces.__cuda_array_interface__ = dict(faces.__cuda_array_interface__, typestr="<u4", shape=(1, 3))
        with self.assertRaisesRegex(sightline.DeviceError, "in the memory of a GPU, but cuda: "):
            sightline.self_intersections_gpu(vertices, faces)
        both = BufferOnGpu(36), BufferOnGpu(36)
        both[0].__cuda_array_interface__ = vertices.__cuda_array_interface__
        both[1].__cuda_array_interface__ = faces.__cuda_array_interface__
        with self.assertRaisesRegex(sightline.DeviceError, "in the memory of a GPU, but cuda: "):
            sightline.self_intersections_gpu(*both)
        faces.__cuda_array_interface__["typestr"] = "<i8"
        with self.assertRaisesRegex(TypeError, "faces: the elements on the GPU are int64, not uint32 or int32"):
            sightline.self_intersections_gpu(vertices, faces)
        vertices.__cuda_array_interface__["strides"] = (24, 8)
        with self.assertRaisesRegex(ValueError, "vertices: the array on the GPU is not C-contiguous"):
            sightline.self_intersections_gpu(vertices, faces)
        with self.assertRaisesRegex(sightline.DeviceError, "^cuda: "):
            sightline.self_intersections(VERTICES, FACES, device="cuda")
        for bad in ("gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999999", ""):
            with self.assertRaisesRegex(ValueError, "is none of"):
                sightline.self_intersections(VERTICES, FACES, device=bad)


@unittest.skipIf(np is None, "NumPy is not installed")
class WithNumPy(unittest.TestCase):
    def test_every_type_and_layout_gives_one_list(self):
        want = expected()
        vertices, faces = np.array(VERTICES), np.array(FACES)
        for vertex_name, vertex_form, vertices_copied in vertex_forms(vertices):
            for face_name, face_form, faces_copied in face_forms(faces):
                if vertex_name not in ("float32", "float64") and face_name not in ("uint32", "int64"):
                    continue
                with self.subTest(vertices=vertex_name, faces=face_name):
                    mesh = sightline.Mesh(vertex_form, face_form)
                    self.assertEqual(mesh.copied, (vertices_copied, faces_copied))
                    self.assertEqual(listed(sightline.self_intersections(mesh)), want)

    def test_float16_and_integers_keep_their_values(self):
        whole = np.round(np.array(VERTICES) * 64)
        want = listed(sightline.self_intersections(whole, FACES))
        self.assertGreater(len(want), 20)
        for name in ("float16", "int8", "int16", "int64", "uint64"):
            shifted = whole if name not in ("uint64",) else whole + 64
            got = sightline.self_intersections(shifted.astype(name), FACES)
            self.assertEqual([c[:3] for c in listed(got)], [c[:3] for c in want])
        half = np.array([[6.1e-5, 5.96e-8, 65504], [-2.5, 0.1, 1], [0, -0.0, 3]], np.float16)
        mesh = sightline.Mesh(half, [[0, 1, 2]])
        self.assertEqual(mesh.vertices.dtype, np.float32)
        self.assertTrue((mesh.vertices == half.astype(np.float32)).all())

    def test_other_types_are_refused(self):
        for name, error in (("complex128", TypeError), ("longdouble", TypeError), ("S8", TypeError), ("bool", TypeError)):
            with self.assertRaises(error):
                sightline.self_intersections(np.zeros((3, 3), name), [[0, 1, 2]])
        with self.assertRaises((TypeError, ValueError)):
            sightline.self_intersections(np.zeros((3, 3), object), [[0, 1, 2]])
        with self.assertRaisesRegex(ValueError, "dimensions"):
            sightline.self_intersections(np.zeros((3, 3, 1)), [[0, 1, 2]])

    def test_results_are_arrays_of_the_documented_types(self):
        report = sightline.self_intersections(np.array(VERTICES), np.array(FACES))
        k = len(report)
        self.assertEqual((report.pairs.shape, report.pairs.dtype), ((k, 2), np.uint32))
        self.assertEqual((report.kind.shape, report.kind.dtype), ((k,), np.uint8))
        offsets, coordinates = report.points()
        self.assertEqual((offsets.shape, offsets.dtype, coordinates.dtype), ((k + 1,), np.int64, np.float64))
        self.assertEqual(coordinates.shape, (offsets[-1], 3))
        self.assertTrue(report.pairs.flags.c_contiguous and report.pairs.flags.writeable)
        pairs = report.pairs
        del report
        gc.collect()
        self.assertEqual(pairs.tolist(), [list(c[:2]) for c in expected()])

    def test_a_dlpack_tensor_is_released(self):
        values = np.array(VERTICES)
        gone = weakref.ref(values)
        report = sightline.self_intersections(OnlyDlpack(values), FACES)
        del values
        gc.collect()
        self.assertIsNotNone(gone())
        del report
        gc.collect()
        self.assertIsNone(gone())

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        mesh = sightline.Mesh(torch.tensor(VERTICES), torch.tensor(FACES, dtype=torch.int32))
        self.assertEqual(mesh.copied, (False, False))
        self.assertEqual(listed(sightline.self_intersections(mesh)), expected())
        wide = torch.tensor(VERTICES, dtype=torch.float64)
        for vertices in (wide, wide.t().contiguous().t(), wide.repeat(1, 2)[:, :3]):
            for faces in (torch.tensor(FACES), torch.tensor(FACES, dtype=torch.int16)):
                self.assertEqual(listed(sightline.self_intersections(vertices, faces)), expected())
        corners = [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
        self.assertIs(sightline.side_of(corners, torch.tensor([0.5, 0.5, 0.5])), sightline.Side.inside)
        self.assertEqual(sightline.side_of(corners, torch.tensor([[0.5, 0.5, 0.5], [1, 1, 1]])).tolist(), [1, 2])


if __name__ == "__main__":
    unittest.main()
