"""Copies the libraries that a module needs beside it, under names that no other package has."""
import hashlib
import pathlib
import re
import shutil
import subprocess

import elf


def resolve(path):
    """The file of each library that the loader finds for a module, by name."""
    listed = subprocess.run(["ldd", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
    missing = re.findall(r"(\S+) => not found", listed)
    if missing:
        raise SystemExit(f"sightline: {path}: these libraries were not found: {', '.join(missing)}")
    return dict(re.findall(r"(\S+) => (/\S+)", listed))


def bundled_name(name, path):
    """libtbb.so.12 becomes libtbb-1a2b3c4d.so.12: the loader takes a library that is already in the process for any
    other of the same name, and another package may have loaded its own."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    stem, dot, rest = name.partition(".so")
    return f"{stem}-{digest}{dot}{rest}"


def bundle(module, folder):
    """All libraries outside of the allow-list into `folder`, which lies beside the module. Returns the new files."""
    files = {name: pathlib.Path(found) for name, found in resolve(module).items() if name not in elf.ALLOWED}
    names = {name: bundled_name(name, found) for name, found in files.items()}
    folder.mkdir(exist_ok=True)
    for name, found in files.items():
        copy = folder / names[name]
        shutil.copyfile(found, copy)
        copy.chmod(0o755)
        patch(copy, names, "$ORIGIN", soname=names[name])
    patch(module, names, f"$ORIGIN/{folder.name}")
    return [folder / name for name in names.values()]


def patch(path, names, run_path, soname=None):
    """One call of patchelf for each change: patchelf 0.14 takes the arguments of one option for those of another."""
    changes = [["--replace-needed", name, names[name]] for name in elf.needed(path) if name in names]
    changes.append(["--set-rpath", run_path])
    if soname:
        changes.append(["--set-soname", soname])
    for change in changes:
        subprocess.run(["patchelf", *change, str(path)], check=True)
