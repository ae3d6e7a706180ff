"""The build backend of `pip wheel .` (PEP 517): CMake builds the module; the wheel gets the libraries that it needs.

Config settings (pip's --config-settings):
  build-dir=PATH   a build folder of CMake to use (again); default: build/wheel
  cuda=on          with the CUDA device (needs nvcc; minutes to compile); default: off
  bundle=off       leave the libraries out: the wheel then fits this machine only (tag linux_…)
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import bundle  # noqa: E402
import elf  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "sightline"
SUMMARY = "Every collision and self-intersection of triangle meshes, exactly"


def version():
    text = (ROOT / "include" / "sightline" / "version.h").read_text()
    return ".".join(re.findall(r"#define SIGHTLINE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"sightline-{version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / name
    folder.mkdir()
    (folder / "METADATA").write_text(metadata())
    (folder / "WHEEL").write_text(wheel_file("py3-none-any"))
    return name


def metadata():
    return (f"Metadata-Version: 2.1\nName: sightline\nVersion: {version()}\nSummary: {SUMMARY}\nLicense: MIT\n"
            "Requires-Python: >=3.9\nProvides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n")


def wheel_file(tag):
    return f"Wheel-Version: 1.0\nGenerator: sightline_backend\nRoot-Is-Purelib: false\nTag: {tag}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = config_settings or {}
    module = build_module(pathlib.Path(settings.get("build-dir", ROOT / "build" / "wheel")), settings)
    with tempfile.TemporaryDirectory() as work:
        package = pathlib.Path(work) / "sightline"
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        copy = package / module.name
        shutil.copyfile(module, copy)
        subprocess.run(["strip", "--strip-unneeded", str(copy)], check=True)  # before patchelf: strip damages its files
        libraries = [] if settings.get("bundle") == "off" else bundle.bundle(copy, package / "libs")
        tag = f"{python_tag()}-{platform_tag([copy, *libraries])}"
        return write_wheel(pathlib.Path(wheel_directory), package, tag)


# Names of Debian packages.
PROGRAMS = {"cmake": "cmake", "readelf": "binutils", "strip": "binutils", "patchelf": "patchelf"}
PACKAGES = ("g++ cmake ninja-build pkg-config libtbb-dev libhwy-dev libfmt-dev nlohmann-json3-dev libzip-dev zlib1g-dev "
            "libpng-dev libpugixml-dev pybind11-dev python3-dev binutils patchelf")


def build_module(build, settings):
    """The path of the compiled module. A folder that the caller gave is configured already if it has a cache."""
    require_programs(settings)
    if not ("build-dir" in settings and (build / "CMakeCache.txt").exists()):
        require_headers()
        configure(build, settings)
    os.environ.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    if subprocess.run(["cmake", "--build", str(build), "--target", "sightline_python"]).returncode != 0:
        raise SystemExit(f"sightline: compiling the module in {build} failed")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    module = build / "src" / "python" / f"_core{suffix}"
    if not module.exists():
        others = sorted(path.name for path in module.parent.glob("_core*.so"))
        raise SystemExit(f"sightline: {build} has no module for this Python ({module.name}), but {others}: it was made "
                         f"for another one; this is {sys.executable}")
    return module


def require_programs(settings):
    """SystemExit: pip shows its text without a traceback."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None and
               not (name == "patchelf" and settings.get("bundle") == "off")]
    if missing:
        packages = " ".join(sorted({PROGRAMS[name] for name in missing}))
        raise SystemExit(f"sightline: the build needs {', '.join(missing)} (Debian: apt-get install {packages})")


def require_headers():
    header = pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.exists():
        raise SystemExit(f"sightline: {header} is missing: the build needs the headers of {sys.executable} "
                         "(Debian: apt-get install python3-dev)")


def configure(build, settings):
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    done = subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release",
                           "-DCMAKE_UNITY_BUILD=ON",  # half of the time to compile
                           "-DSIGHTLINE_BUILD_PYTHON=ON", "-DSIGHTLINE_BUILD_TOOL=OFF", "-DSIGHTLINE_BUILD_EXAMPLES=OFF",
                           "-DSIGHTLINE_GL=OFF", "-DSIGHTLINE_INSTALL=OFF",
                           f"-DSIGHTLINE_CUDA={settings.get('cuda', 'off').upper()}",
                           f"-DPython_EXECUTABLE={sys.executable}"],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        # The first error; those after it follow from it.
        error = re.search(r"^CMake Error[^\n]*\n((?:\n|[ \t][^\n]*\n)*)", done.stderr, re.MULTILINE)
        text = " ".join(error.group(1).split()) if error else done.stderr.strip()
        raise SystemExit(f"sightline: CMake refuses to configure the build: {text}\n"
                         f"Debian has all that it needs: apt-get install {PACKAGES}")
    sys.stderr.write(done.stderr)


def python_tag():
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{tag}-{tag}"


def platform_tag(files):
    """manylinux with the newest glibc that a file needs, if every library is bundled or allowed; else linux."""
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    names = {path.name for path in files}
    if any(name not in elf.ALLOWED | names for path in files for name in elf.needed(path)):
        return machine
    major, minor = max(elf.newest_glibc(path) for path in files)
    return machine.replace("linux", f"manylinux_{major}_{minor}", 1)


def write_wheel(folder, package, tag):
    name = f"sightline-{version()}-{tag}.whl"
    info = f"sightline-{version()}.dist-info"
    record = []
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(path, data, mode=0o644):
            entry = zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0))  # the same bytes for the same contents
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")

        for path in sorted(package.rglob("*")):
            if path.is_file():
                mode = 0o755 if ".so" in path.name else 0o644
                add(str(pathlib.Path("sightline") / path.relative_to(package)), path.read_bytes(), mode)
        add(f"{info}/METADATA", metadata().encode())
        add(f"{info}/WHEEL", wheel_file(tag).encode())
        for text in ("LICENSE", "NOTICE"):
            add(f"{info}/{text}", (ROOT / text).read_bytes())
        record.append(f"{info}/RECORD,,")
        archive.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """All files of git, as sightline-VERSION.tar.gz."""
    import io
    import tarfile

    base = f"sightline-{version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in filter(None, listed.decode().split("\0")):
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
        data = metadata().encode()
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"
