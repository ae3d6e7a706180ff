"""What an ELF file needs at run time, as readelf (binutils) prints it."""
import re
import subprocess

# Libraries that every manylinux platform has (PEP 600 and the policies of auditwheel). libz and libexpat, which newer
# policies allow, are not in the list: a wheel bundles them.
ALLOWED = {
    "libgcc_s.so.1", "libstdc++.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libc.so.6", "libpthread.so.0",
    "libresolv.so.2", "libutil.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
}


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout


def needed(path):
    """The names in NEEDED."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", readelf(path, "-d"))


def run_paths(path):
    """The folders of RPATH and RUNPATH."""
    found = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", readelf(path, "-d"))
    return [folder for entry in found for folder in entry.split(":") if folder]


def newest_glibc(path):
    """The newest version of glibc that a symbol needs, as (2, 34)."""
    versions = [tuple(map(int, v.split("."))) for v in re.findall(r"Name: GLIBC_([0-9.]+)", readelf(path, "-V"))]
    return max((v[:2] for v in versions), default=(2, 0))
