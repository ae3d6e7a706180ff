"""Meshes in files."""
from __future__ import annotations

import dataclasses
import html
import os
from typing import Any, Dict, List

from . import _core
from ._mesh import Mesh, core_mesh
from ._parts import Topology, topology
from ._query import Progress, self_intersections
from ._report import PathLike, Report, html_table, inline


def _existing(path: PathLike) -> bytes:
    """The path; OSError if there is nothing to read."""
    os.stat(path)
    return os.fsencode(path)


def read(path: PathLike, *, threads: int = 0) -> Mesh:
    """All triangles of an STL, OBJ, PLY, OFF, glTF, GLB or 3MF file as one mesh. Error names the file, the place and
    the value."""
    return Mesh._of(_core.read(_existing(path), threads))


def read_parts(path: PathLike, *, threads: int = 0) -> List[Mesh]:
    """The named objects or groups of a file; instances share their arrays."""
    return [Mesh._of(core) for core in _core.read_parts(_existing(path), threads)]


def write(path: PathLike, *parts: Any) -> None:
    """Writes STL, OBJ, PLY or OFF, by the extension; the file appears complete or not at all. OBJ keeps the parts and
    their names. STL stores float32: a coordinate that is no float32 is an Error.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "one.off")
    ...     write(path, Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    ...     read(path)
    <sightline.Mesh 'one': 3 vertices, 1 triangle>
    """
    _core.write(os.fsencode(path), [core_mesh(part) for part in parts])


@dataclasses.dataclass(frozen=True)
class Check:
    """What `sightline check` prints about one file."""

    path: str
    mesh: Mesh = dataclasses.field(repr=False)
    topology: Topology
    report: Report

    @property
    def ok(self) -> bool:
        """True if the mesh has no contact with itself."""
        return self.report.found == 0

    def to_dict(self) -> Dict[str, Any]:
        """A row for JSON."""
        facts = self.topology
        return {"path": self.path, "triangles": len(self.mesh), "vertices": facts.vertices,
                "components": facts.components, "closed": facts.closed, "open_edges": facts.open_edges,
                "nonmanifold_edges": facts.nonmanifold_edges, "duplicates": facts.duplicates,
                "degenerate": len(facts.degenerate), "found": self.report.found, "complete": self.report.complete,
                "counts": self.report.counts}

    def to_html(self, path: PathLike, title: str = "", up: int = 2) -> None:
        """As Report.to_html. The title is by default the name of the file."""
        self.report.to_html(path, title or os.path.basename(self.path), up)

    def to_png(self, path: PathLike, width: int = 1600, height: int = 1000, up: int = 2) -> None:
        """As Report.to_png."""
        self.report.to_png(path, width, height, up)

    def _repr_html_(self) -> str:
        facts = {key: value for key, value in self.to_dict().items() if key not in ("found", "complete", "counts")}
        return inline(f"{html_table(list(facts), [list(facts.values())])}<p>{html.escape(repr(self.report))}</p>",
                      self.to_html)


def check(path: PathLike, *, threads: int = 0, first: bool = False, progress: Progress = None) -> Check:
    """Reads a file and finds its self-intersections.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "one.off")
    ...     write(path, Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    ...     check(path).ok
    True
    """
    mesh = read(path, threads=threads)
    return Check(os.fspath(path), mesh, topology(mesh, threads=threads),
                 self_intersections(mesh, threads=threads, first=first, progress=progress))
