"""The package as a whole: documentation that runs, types, the wheel's libraries, a Python without NumPy."""
import doctest
import glob
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import zipfile

import sightline

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WHEEL = os.environ.get("SIGHTLINE_WHEEL", "")
# The libraries of PEP 600, written down here a second time: the backend's own list must not be its only judge.
MANYLINUX = {"libgcc_s.so.1", "libstdc++.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libc.so.6", "libpthread.so.0",
             "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
FORBIDDEN = re.compile(r"cgal|gmp|mpfr|python", re.IGNORECASE)


class Documentation(unittest.TestCase):
    def test_examples_in_docstrings_run(self):
        tried = 0
        modules = [sightline] + [importlib.import_module(f"sightline.{found.name}")
                                 for found in pkgutil.iter_modules(sightline.__path__) if found.name != "_core"]
        for module in modules:
            failed, count = doctest.testmod(module)
            self.assertEqual(failed, 0, module.__name__)
            tried += count
        self.assertGreater(tried, 40)

    def test_examples_in_the_document_run(self):
        failed, tried = doctest.testfile(os.path.join(ROOT, "docs", "python.md"), module_relative=False)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 10)

    def test_every_public_name_is_documented(self):
        for name in sightline.__all__:
            if not name.startswith("__") and name not in ("Error", "DeviceError"):
                self.assertTrue((getattr(sightline, name).__doc__ or "").strip(), name)


class Types(unittest.TestCase):
    def mypy(self, module, *arguments):
        if subprocess.run([sys.executable, "-c", "import mypy"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("mypy is not installed")
        done = subprocess.run([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_package_has_strict_types(self):
        self.mypy("mypy", "--strict", os.path.join(ROOT, "python", "sightline"))

    def test_the_stub_is_that_of_the_compiled_module(self):
        self.mypy("mypy.stubtest", "sightline._core", "--ignore-missing-stub", "--allowlist",
                  os.path.join(HERE, "stubtest_allowed.txt"))

    def test_a_user_of_the_package_is_checked(self):
        user = os.path.join(HERE, "typed_user.py")
        self.mypy("mypy", "--strict", user)


@unittest.skipUnless(WHEEL, "SIGHTLINE_WHEEL names no wheel")
class Wheel(unittest.TestCase):
    def libraries(self):
        """Path and NEEDED of each library in the installed package."""
        folder = os.path.dirname(sightline.__file__)
        for path in glob.glob(os.path.join(folder, "**", "*.so*"), recursive=True):
            text = subprocess.run(["readelf", "-Wd", path], check=True, stdout=subprocess.PIPE, text=True).stdout
            yield path, re.findall(r"\(NEEDED\).*\[(.*)\]", text), re.findall(r"\((?:RUN|R)PATH\).*\[(.*)\]", text)

    def test_every_library_is_allowed_or_in_the_wheel(self):
        all_of = list(self.libraries())
        bundled = {os.path.basename(path) for path, _, _ in all_of}
        self.assertGreater(len(bundled), 3)
        for path, needed, run_paths in all_of:
            for name in needed:
                self.assertTrue(name in MANYLINUX or name in bundled, f"{path} needs {name}")
                self.assertIsNone(FORBIDDEN.search(name), f"{path} needs {name}")
            for entry in run_paths:
                self.assertTrue(entry.startswith("$ORIGIN"), f"{path} has the run path {entry}")

    def test_the_loader_takes_the_libraries_of_the_wheel(self):
        with open("/proc/self/maps") as file:
            loaded = {line.split()[-1] for line in file if ".so" in line and len(line.split()) > 5}
        folder = os.path.realpath(os.path.dirname(sightline.__file__))
        ours = {os.path.basename(path) for path in loaded if os.path.realpath(path).startswith(folder)}
        for stem in ("libtbb", "libfmt", "libzip"):
            self.assertTrue(any(name.startswith(stem) for name in ours), f"{stem} is not loaded from the wheel: {ours}")

    def test_contents_and_records(self):
        with zipfile.ZipFile(WHEEL) as archive:
            names = archive.namelist()
            record = archive.read(next(n for n in names if n.endswith("/RECORD"))).decode()
        for name in ("sightline/py.typed", "sightline/_core.pyi", "sightline/__init__.py"):
            self.assertIn(name, names)
        self.assertEqual({line.split(",")[0] for line in record.splitlines()}, set(names))
        self.assertIn("manylinux_2_", os.path.basename(WHEEL))

    def test_only_the_initializer_is_exported(self):
        module = sightline._core.__file__
        text = subprocess.run(["readelf", "-W", "--dyn-syms", module], check=True, stdout=subprocess.PIPE, text=True).stdout
        exported = [line.split()[-1] for line in text.splitlines()
                    if re.search(r"\b(GLOBAL|WEAK|UNIQUE)\b", line) and " UND " not in line]
        self.assertEqual(exported, ["PyInit__core"])


class Backend(unittest.TestCase):
    """The build backend, without a compilation."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.programs = os.path.join(self.folder, "bin")
        os.mkdir(self.programs)

    def run_hook(self, code, path):
        script = f"import sys; sys.path.insert(0, {os.path.join(ROOT, 'python', 'backend')!r})\n{code}"
        return subprocess.run([sys.executable, "-c", script], env=dict(os.environ, PATH=path), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    def build(self, path, before=""):
        settings = {"build-dir": os.path.join(self.folder, "build")}
        return self.run_hook(f"import sightline_backend\n{before}\n"
                             f"sightline_backend.build_wheel({self.folder!r}, {settings!r})", path)

    def fake(self, name, text="exit 0"):
        path = os.path.join(self.programs, name)
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def test_missing_programs_are_named(self):
        done = self.build(self.programs)
        self.assertEqual(done.stderr, "sightline: the build needs cmake, readelf, strip, patchelf "
                                      "(Debian: apt-get install binutils cmake patchelf)\n")
        for name in ("cmake", "readelf", "strip"):
            self.fake(name)
        self.assertEqual(self.build(self.programs).stderr,
                         "sightline: the build needs patchelf (Debian: apt-get install patchelf)\n")

    def test_missing_headers_are_named(self):
        for name in ("cmake", "readelf", "strip", "patchelf"):
            self.fake(name)
        done = self.build(self.programs, "import sysconfig; sysconfig.get_paths = lambda: {'include': '/no/include'}")
        self.assertEqual(done.stderr, f"sightline: /no/include/Python.h is missing: the build needs the headers of "
                                      f"{sys.executable} (Debian: apt-get install python3-dev)\n")

    def test_the_first_error_of_cmake_is_shown(self):
        for name in ("readelf", "strip", "patchelf"):
            self.fake(name)
        self.fake("cmake", 'echo "-- Looking"; printf "CMake Warning:\\n  Old.\\n\\nCMake Error at a.txt:7 (message):\\n'
                           '  This was not\\n  found (Debian: it-dev)\\nCall Stack:\\n  b.txt\\n" >&2; exit 1')
        done = self.build(self.programs, "import pathlib; sightline_backend.require_headers = lambda: None")
        lines = done.stderr.splitlines()
        self.assertEqual(lines[0], "sightline: CMake refuses to configure the build: This was not found (Debian: it-dev)")
        self.assertTrue(lines[1].startswith("Debian has all that it needs: apt-get install "))
        self.assertIn(" pybind11-dev ", lines[1])
        self.assertEqual(len(lines), 2)

    def test_pip_shows_no_traceback(self):
        if subprocess.run([sys.executable, "-m", "pip", "--version"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode:
            self.skipTest("pip is not installed")
        done = subprocess.run([sys.executable, "-m", "pip", "wheel", ROOT, "--no-index", "--no-deps", "-w", self.folder,
                               "--disable-pip-version-check"], env=dict(os.environ, PATH=self.programs),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("sightline: the build needs cmake", done.stdout)
        self.assertNotIn("Traceback", done.stdout)

    def test_its_own_configuration_has_the_module(self):
        for name in ("cmake", "ninja", "readelf", "strip", "patchelf", "c++"):
            if shutil.which(name) is None:
                self.skipTest(f"{name} is not installed")
        if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
            self.skipTest("this Python has no headers")
        build = os.path.join(self.folder, "build")
        done = self.run_hook(f"import pathlib, sightline_backend\n"
                             f"sightline_backend.configure(pathlib.Path({build!r}), {{}})", os.environ["PATH"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        plan = subprocess.run(["ninja", "-C", build, "-t", "query", "sightline_python"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        self.assertIn(f"src/python/_core{sysconfig.get_config_var('EXT_SUFFIX')}", plan)


class WithoutNumPy(unittest.TestCase):
    def test_results_are_memoryviews(self):
        script = """if True:
            import sys
            sys.modules["numpy"] = None  # import numpy fails, as where it is not installed
            import pickle, sightline
            vertices = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1], [2, 1, 1]]
            report = sightline.self_intersections(vertices, [[0, 1, 2], [3, 4, 5]])
            assert isinstance(report.pairs, memoryview), type(report.pairs)
            assert (report.pairs.shape, report.pairs.format) == ((1, 2), "I")
            assert report.pairs.tolist() == [[0, 1]] and report.kind.tolist() == [1]
            assert report.points().coordinates.tolist() == [[1, 1, 0], [1.5, 1, 0]]
            assert pickle.loads(pickle.dumps(report)) == report
            none = sightline.self_intersections([], [])
            assert none.pairs.tolist() == [] and none.points().coordinates.tolist() == []
            assert sightline.side_of(([], []), [1, 2, 3]) is sightline.Side.outside
            print("done")
        """
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.stdout, "done\n")


if __name__ == "__main__":
    unittest.main()
