"""Scenes of named objects that move, deform, and come and go."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional

from . import _core
from ._mesh import Mesh, core_mesh
from ._query import Progress, progress_of
from ._report import Report


class Scene:
    """Named objects and their contacts, frame by frame.

    The scene views the caller's arrays and keeps references to them. New positions may be written over the old ones;
    then `move` with the same array announces them. What rests from frame to frame is not paid for again.

    Objects are in contact if they share a point: touching counts, and an object that lies inside another one without
    touching it has no contact with it (`clash` finds such pairs).

    >>> scene = Scene()
    >>> triangle = [[0, 0, 0], [4, 0, 0], [0, 4, 0]]
    >>> scene.add("floor", triangle, [[0, 1, 2]])
    >>> scene.add("blade", [[1, 1, -1], [1, 1, 1], [2, 1, 1]], [[0, 1, 2]])
    >>> report = scene.collide()
    >>> [(report.names[c.object_a], report.names[c.object_b], c.kind.name) for c in report]
    [('floor', 'blade', 'crossing')]
    >>> scene.transform("blade", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 5]])
    >>> len(scene.collide())
    0
    """

    def __init__(self, device: str = "cpu") -> None:
        self._core = _core.Scene(device)
        self._ids: Dict[str, int] = {}
        self._names: List[str] = []

    def add(self, name: str, vertices: Any, faces: Any = None, *, transform: Any = None, self_contacts: bool = False,
            groups: int = 1, collides_with: int = 0xFFFFFFFF) -> None:
        """Adds an object: arrays as Mesh takes them, or a Mesh. With `self_contacts` its contacts with itself are
        reported, too. Two objects are tested if each is in a group (a bit) that the other collides with."""
        if name in self._ids:
            raise ValueError(f"scene: there is an object {name!r} already")
        self._add_core(name, core_mesh(vertices, faces, name, transform), self_contacts, groups, collides_with)

    def _add_core(self, name: str, mesh: _core.Mesh, self_contacts: bool = False, groups: int = 1,
                  collides_with: int = 0xFFFFFFFF) -> None:
        id = self._core.add(mesh, self_contacts, groups, collides_with)
        self._ids[name] = id
        self._names = self._names + [""] * (id + 1 - len(self._names))
        self._names[id] = name

    def move(self, name: str, vertices: Any) -> None:
        """New positions; same triangles, same transform."""
        self._core.move(self._id(name), vertices)

    def transform(self, name: str, transform: Any) -> None:
        """Another place; same positions, same triangles."""
        self._core.place(self._id(name), transform)

    def replace(self, name: str, vertices: Any, faces: Any = None, *, transform: Any = None) -> None:
        """New positions, triangles and transform."""
        self._core.replace(self._id(name), core_mesh(vertices, faces, name, transform))

    def remove(self, name: str) -> None:
        self._core.remove(self._id(name))
        del self._ids[name]

    def set_options(self, name: str, *, self_contacts: bool = False, groups: int = 1,
                    collides_with: int = 0xFFFFFFFF) -> None:
        self._core.set_options(self._id(name), self_contacts, groups, collides_with)

    def mesh(self, name: str) -> Mesh:
        """The object's current mesh."""
        return Mesh._of(self._core.mesh(self._id(name)))

    def collide(self, *, threads: int = 0, first: bool = False, max_contacts: Optional[int] = None,
                progress: Progress = None) -> Report:
        """All contacts of the objects; the options are those of self_intersections."""
        names = self._names
        return Report(self._core.collide(threads, first, max_contacts, progress_of(progress, "collide")), names)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._ids))

    def __repr__(self) -> str:
        return f"<sightline.Scene: {len(self)} object{'' if len(self) == 1 else 's'}>"

    def _id(self, name: str) -> int:
        if name not in self._ids:
            raise KeyError(f"scene: there is no object {name!r}")
        return self._ids[name]
