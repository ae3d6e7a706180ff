"""Arrays in the memory of a GPU: the lists are those of the CPU, for each library that is installed. Without a GPU all
tests are skipped."""
import importlib
import unittest

import sightline
from support import box, joined, soup

GPU = next((device for device in sightline.devices() if device["name"] == "cuda" and not device["missing"]), None)


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


np, cupy, torch, jax = (library(name) if GPU else None for name in ("numpy", "cupy", "torch", "jax"))


class OnlyDLPack:
    """An array that has no __cuda_array_interface__."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream)


@unittest.skipUnless(GPU and np, "no GPU, or no NumPy")
class OnTheGpu(unittest.TestCase):
    def setUp(self):
        vertices, faces = joined(soup(3000, size=0.2), box(), box((0.5, 0.5, 0.5)))
        self.vertices, self.faces = np.array(vertices, np.float32), np.array(faces, np.uint32)
        self.expected = sightline.self_intersections(self.vertices, self.faces)
        self.assertGreater(len(self.expected), 1000)

    def same(self, report, as_host):
        self.assertEqual(len(report), len(self.expected))
        np.testing.assert_array_equal(as_host(report.pairs), self.expected.pairs)
        np.testing.assert_array_equal(as_host(report.kind), self.expected.kind)

    def test_arrays_of_the_host_with_a_device(self):
        for device in ("cuda", "cuda:0", "best"):
            report = sightline.self_intersections(self.vertices, self.faces, device=device)
            self.assertEqual(report, self.expected)
            self.assertEqual(report.stats["device"], "cuda")

    @unittest.skipUnless(cupy, "CuPy is not installed")
    def test_cupy(self):
        def as_host(view):
            return cupy.asnumpy(cupy.asarray(view))

        for real in ("float32", "float64"):
            for whole in ("uint32", "int32"):
                points, faces = cupy.asarray(self.vertices.astype(real)), cupy.asarray(self.faces.astype(whole))
                with self.subTest(vertices=real, faces=whole):
                    self.same(sightline.self_intersections_gpu(points, faces), as_host)
                    wrapped = OnlyDLPack(points)
                    self.same(sightline.self_intersections_gpu(wrapped, OnlyDLPack(faces)), as_host)
                    self.assertEqual(wrapped.streams, [1])
        report = sightline.self_intersections_gpu(points, faces)
        self.same(report, lambda view: cupy.asnumpy(cupy.from_dlpack(view)))
        self.assertEqual(report.pairs.__dlpack_device__(), points.__dlpack_device__())
        pairs = cupy.asarray(report.pairs)
        del report  # the view keeps the list
        np.testing.assert_array_equal(cupy.asnumpy(pairs), self.expected.pairs)

    @unittest.skipUnless(cupy, "CuPy is not installed")
    def test_the_query_waits_for_the_stream_of_the_caller(self):
        stream = cupy.cuda.Stream(non_blocking=True)
        faces = cupy.asarray(self.faces)
        wanted = cupy.asarray(self.vertices)
        cupy.cuda.Device().synchronize()
        for _ in range(5):
            with stream:
                points = cupy.zeros_like(wanted)
                for _ in range(200):  # work that ends after the call began
                    points += wanted
                points /= 200
                points[...] = wanted
            self.same(sightline.self_intersections_gpu(points, faces, stream=stream.ptr),
                      lambda view: cupy.asnumpy(cupy.asarray(view)))

    @unittest.skipUnless(torch, "PyTorch is not installed")
    def test_torch(self):
        faces = torch.from_numpy(self.faces.astype(np.int32)).cuda()
        for real in (torch.float32, torch.float64):
            points = torch.from_numpy(self.vertices).to(real).cuda()
            report = sightline.self_intersections_gpu(points, faces)
            self.same(report, lambda view: torch.from_dlpack(view).cpu().numpy())
            self.same(report, lambda view: torch.as_tensor(view, device="cuda").cpu().numpy())
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            late = points * 1
            self.same(sightline.self_intersections_gpu(late, faces, stream=side.cuda_stream),
                      lambda view: torch.from_dlpack(view).cpu().numpy())
        with self.assertRaisesRegex(TypeError, "faces: the elements on the GPU are int64, not uint32 or int32"):
            sightline.self_intersections_gpu(points, faces.long())
        with self.assertRaisesRegex(TypeError, "vertices: the elements on the GPU are float16, not float32 or float64"):
            sightline.self_intersections_gpu(points.half(), faces)
        with self.assertRaisesRegex(ValueError, "vertices: the array on the GPU is not C-contiguous"):
            sightline.self_intersections_gpu(points.t().contiguous().t(), faces)
        with self.assertRaisesRegex(ValueError, "faces: the array is not in the memory of a GPU"):
            sightline.self_intersections_gpu(points, faces.cpu())
        with self.assertRaisesRegex(ValueError, "vertices: the array is in the memory of a GPU"):
            sightline.self_intersections(points, faces)

    @unittest.skipUnless(jax, "JAX is not installed")
    def test_jax(self):
        points, faces = jax.numpy.asarray(self.vertices), jax.numpy.asarray(self.faces)
        if points.devices().pop().platform != "gpu":
            self.skipTest("JAX has no GPU")
        report = sightline.self_intersections_gpu(points, faces)
        self.same(report, lambda view: np.asarray(cupy.asnumpy(cupy.asarray(view))) if cupy else
                  torch.from_dlpack(view).cpu().numpy())

    @unittest.skipUnless(cupy, "CuPy is not installed")
    def test_bad_values_are_named(self):
        points, faces = self.vertices.copy(), self.faces.copy()
        points[7, 1] = float("nan")
        with self.assertRaisesRegex((ValueError, sightline.Error), r"7\b.*nan"):
            sightline.self_intersections_gpu(cupy.asarray(points), cupy.asarray(faces))
        faces[5, 2] = 1 << 30
        with self.assertRaisesRegex((ValueError, sightline.Error), rf"5\b.*{1 << 30}"):
            sightline.self_intersections_gpu(cupy.asarray(self.vertices), cupy.asarray(faces))

    @unittest.skipUnless(cupy, "CuPy is not installed")
    def test_empty_arrays(self):
        none = sightline.self_intersections_gpu(cupy.zeros((0, 3), "f4"), cupy.zeros((0, 3), "u4"))
        self.assertEqual((len(none), cupy.asarray(none.pairs).shape), (0, (0, 2)))

    @unittest.skipUnless(cupy, "CuPy is not installed")
    def test_a_thousand_calls_keep_no_memory(self):
        points, faces = cupy.asarray(self.vertices), cupy.asarray(self.faces)

        def free():
            cupy.cuda.Device().synchronize()
            return cupy.cuda.runtime.memGetInfo()[0]

        for calls in (20, 1000):
            before = free()
            for _ in range(calls):
                sightline.self_intersections_gpu(points, faces).pairs
            after = free()
        self.assertLess(before - after, 8 << 20)


if __name__ == "__main__":
    unittest.main()
