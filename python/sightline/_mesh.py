"""Meshes: views of arrays that belong to the caller, or arrays that a file had."""
from __future__ import annotations

from typing import Any, Tuple

from . import _core
from ._arrays import export


class Mesh:
    """A mesh in the caller's memory, in the place that `transform` (3 x 4 or 4 x 4) gives it.

    `vertices` has the shape (n, 3) and `faces` the shape (m, 3). C-contiguous float32 or float64 positions and uint32
    or int32 indices are not copied; `copied` shows it. Everything else is copied once: other layouts and byte orders,
    int64 and uint64 indices, float16 and integer positions, nested lists. The arrays must not change while a query
    runs.

    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], name="one")
    >>> mesh
    <sightline.Mesh 'one': 3 vertices, 1 triangle>
    """

    __slots__ = ("_core",)

    def __init__(self, vertices: Any, faces: Any, name: str = "", transform: Any = None) -> None:
        self._core = _core.Mesh(vertices, faces, name, transform)

    @classmethod
    def _of(cls, core: _core.Mesh) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._core = core
        return mesh

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def vertices(self) -> Any:
        """The stored positions (n, 3), before the transform. Read-only."""
        return export(self._core.vertices)

    @property
    def faces(self) -> Any:
        """The vertex numbers of each triangle, (m, 3) uint32. Read-only."""
        return export(self._core.faces)

    @property
    def placed_vertices(self) -> Any:
        """The positions after the transform, computed in double and rounded to the type of the storage."""
        return export(self._core.placed_vertices)

    @property
    def face_numbers(self) -> Any:
        """Of each triangle, the number of its polygon in the file that it was read from."""
        return export(self._core.face_numbers)

    @property
    def transform(self) -> Any:
        """The transform as a matrix of 4 x 4."""
        return export(self._core.matrix)

    @property
    def copied(self) -> Tuple[bool, bool]:
        """Whether the vertices and the faces were copied."""
        return self._core.copied

    def placed(self, transform: Any) -> Mesh:
        """The same arrays in another place."""
        return Mesh._of(self._core.placed(transform))

    def renamed(self, name: str) -> Mesh:
        """The same arrays under another name."""
        return Mesh._of(self._core.renamed(name))

    def validate(self) -> None:
        """Raises ValueError that names the first row which is not finite or out of range, and its value."""
        self._core.validate()

    def __len__(self) -> int:
        return self._core.counts()[1]

    def __repr__(self) -> str:
        vertices, triangles = self._core.counts()
        name = f" {self.name!r}" if self.name else ""
        return f"<sightline.Mesh{name}: {vertices:,} vertices, {triangles:,} triangle{'' if triangles == 1 else 's'}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, _stored(self._core)


def _stored(core: _core.Mesh) -> Tuple[bytes, str, bytes, str, bytes]:
    """Bytes that do not depend on NumPy."""
    vertices, matrix = memoryview(core.vertices), memoryview(core.matrix)
    return (vertices.tobytes(), vertices.format, memoryview(core.faces).tobytes(), core.name, matrix.tobytes())


def _rows(data: bytes, letter: str, columns: int) -> memoryview:
    rows = len(data) // (columns * (8 if letter == "d" else 4))
    if rows == 0:
        empty: Any = _core.empty_rows(letter, columns)
        return memoryview(empty)
    return memoryview(data).cast(letter, (rows, columns))


def _restored(vertices: bytes, letter: str, faces: bytes, name: str, matrix: bytes) -> Mesh:
    return Mesh(_rows(vertices, letter, 3), _rows(faces, "I", 3), name, _rows(matrix, "d", 4))


def core_mesh(vertices: Any, faces: Any = None, name: str = "", transform: Any = None) -> _core.Mesh:
    """The mesh of arrays, of a Mesh, of a pair, or of an object with `vertices` and `faces` (or `triangles`)."""
    if faces is None:
        if isinstance(vertices, Mesh):
            core = vertices._core
            if name and name != core.name:
                core = core.renamed(name)
            return core if transform is None else core.placed(transform)
        if isinstance(vertices, (tuple, list)) and len(vertices) == 2:
            vertices, faces = vertices
        elif hasattr(vertices, "vertices") and (hasattr(vertices, "faces") or hasattr(vertices, "triangles")):
            faces = vertices.faces if hasattr(vertices, "faces") else vertices.triangles
            vertices = vertices.vertices
        else:
            raise TypeError(f"a mesh is a sightline.Mesh, a pair (vertices, faces) or an object that has both; "
                            f"this is {type(vertices).__name__}")
    return _core.Mesh(vertices, faces, name, transform)
