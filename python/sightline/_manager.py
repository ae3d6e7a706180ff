"""A collision manager with the method names of trimesh."""
from __future__ import annotations

import itertools
import math
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from . import _core
from ._mesh import core_mesh
from ._report import Kind, Report
from ._scene import Scene

_SINGLE = "__external"  # the name that trimesh gives to the mesh of in_collision_single


class ContactData:
    """One contact. `names` are its two objects, `point` is one common point, `points` are all corners of the
    intersection, and `index(name)` is the triangle of an object."""

    def __init__(self, names: Tuple[str, str], triangles: Tuple[int, int], kind: Kind, points: Any) -> None:
        self.names = set(names)
        self.kind = kind
        self.points = points
        self._triangles = dict(zip(names, triangles))

    @property
    def point(self) -> Any:
        return self.points[0]

    def index(self, name: str) -> int:
        return self._triangles[name]

    def __repr__(self) -> str:
        return f"<sightline.ContactData {sorted(self.names)}: {self.kind.name}>"


class DistanceData(NamedTuple):
    """The nearest two objects and their distance."""

    names: Set[str]
    distance: float


class CollisionManager:
    """Named meshes, with the methods of trimesh's collision manager. The answers are exact.

    **Touching.** Two meshes collide if they share a point, so meshes that merely touch collide. With touching=False
    they collide only if surfaces cross or volumes of closed meshes overlap (the relation "clash" of
    docs/definitions.md).

    **Containment.** Meshes are surfaces, as in trimesh: a mesh that lies wholly inside another one, and touches it
    nowhere, does not collide with it. With containment=True it does, if the outer mesh is closed.

    **Distance.** Distances are those of the surfaces: 0 if they share a point, positive for a mesh inside another one,
    infinity if there is nothing to measure.

    >>> manager = CollisionManager()
    >>> faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    >>> manager.add_object("a", ([[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]], faces))
    >>> manager.add_object("b", ([[3, 0, 0], [6, 0, 0], [3, 3, 0], [3, 0, 3]], faces))
    >>> manager.in_collision_internal(return_names=True)
    (True, {('a', 'b')})
    >>> manager.set_transform("b", [[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 1, 0]])
    >>> manager.in_collision_internal(), manager.min_distance_internal()
    (False, 2.0)
    """

    def __init__(self, *, touching: bool = True, containment: bool = False) -> None:
        self.touching = touching
        self.containment = containment
        self._meshes: Dict[str, _core.Mesh] = {}
        self._internal = Scene()

    def add_object(self, name: str, mesh: Any, transform: Any = None) -> None:
        """Adds a mesh: a Mesh, a pair (vertices, faces) or an object that has both. An object of this name is
        replaced."""
        core = core_mesh(mesh, None, name, transform)
        core.validate()
        if name in self._meshes:
            self.remove_object(name)
        self._internal._add_core(name, core)
        self._meshes[name] = core

    def remove_object(self, name: str) -> None:
        self._require(name)
        self._internal.remove(name)
        del self._meshes[name]

    def set_transform(self, name: str, transform: Any) -> None:
        """Places an object. The transform replaces the one that it had."""
        self._require(name)
        self._internal.transform(name, transform)
        self._meshes[name] = self._meshes[name].placed(transform)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two of the objects collide: a bool; with return_names also the set of pairs of names, with
        return_data also a list of ContactData."""
        if self.touching and not self.containment:
            wants_all = return_names or return_data
            return _answer(self._internal.collide(first=not wants_all), return_names, return_data, _pair)
        pairs = itertools.combinations(sorted(self._meshes.items()), 2)
        return self._by_relation(pairs, return_names, return_data, _pair)

    def in_collision_single(self, mesh: Any, transform: Any = None, return_names: bool = False,
                            return_data: bool = False) -> Any:
        """Whether a mesh collides with any object: a bool; with return_names also the set of the objects' names, with
        return_data also a list of ContactData, in which the mesh has the name '__external'."""
        single = core_mesh(mesh, None, _SINGLE, transform)
        others = list(self._meshes.items())
        return self._across([(_SINGLE, single)], others, return_names, return_data, lambda a, b: b)

    def in_collision_other(self, other_manager: CollisionManager, return_names: bool = False,
                           return_data: bool = False) -> Any:
        """Whether any object collides with one of another manager; names are pairs (own, other)."""
        own, others = list(self._meshes.items()), list(other_manager._meshes.items())
        return self._across(own, others, return_names, return_data, lambda a, b: (a, b))

    def min_distance_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """The smallest distance of two objects; with return_names also the pair of names, with return_data also a
        DistanceData."""
        found = _nearest(itertools.combinations(sorted(self._meshes.items()), 2))
        return _distance_answer(found, return_names, return_data, lambda a, b: (a, b))

    def min_distance_single(self, mesh: Any, transform: Any = None, return_name: bool = False,
                            return_data: bool = False) -> Any:
        """The smallest distance of a mesh to any object; with return_name also the object's name."""
        single = core_mesh(mesh, None, _SINGLE, transform)
        found = _nearest(((_SINGLE, single), item) for item in self._meshes.items())
        return _distance_answer(found, return_name, return_data, lambda a, b: b)

    def min_distance_other(self, other_manager: CollisionManager, return_names: bool = False,
                           return_data: bool = False) -> Any:
        """The smallest distance of an object to one of another manager; names are a pair (own, other)."""
        found = _nearest(itertools.product(self._meshes.items(), other_manager._meshes.items()))
        return _distance_answer(found, return_names, return_data, lambda a, b: (a, b))

    def _across(self, own: List[Tuple[str, _core.Mesh]], others: List[Tuple[str, _core.Mesh]], return_names: bool,
                return_data: bool, name_of: Any) -> Any:
        if not self.touching or self.containment:
            return self._by_relation(itertools.product(own, others), return_names, return_data, name_of)
        scene = _core.Scene("cpu")
        for group, meshes in ((1, own), (2, others)):
            for _, mesh in meshes:
                scene.add(mesh, False, group, 3 - group)
        names = [name for name, _ in own + others]
        report = Report(scene.collide(0, not (return_names or return_data)), names)
        return _answer(report, return_names, return_data, name_of)

    def _by_relation(self, pairs: Iterable[Any], return_names: bool, return_data: bool, name_of: Any) -> Any:
        wanted = {"clash"} | ({"touch"} if self.touching else set()) | ({"contains"} if self.containment else set())
        hits = []
        for (name_a, a), (name_b, b) in pairs:
            if _apart(a, b) > 0:
                continue
            if _core.relation(a, b, 0.0)[0] in wanted:
                hits.append((name_a, a, name_b, b))
                if not (return_names or return_data):
                    break
        answer: List[Any] = [bool(hits)]
        if return_names:
            answer.append({name_of(name_a, name_b) for name_a, _, name_b, _ in hits})
        if return_data:
            answer.append([data for name_a, a, name_b, b in hits for data in _contacts_of(name_a, a, name_b, b)])
        return answer[0] if len(answer) == 1 else tuple(answer)

    def _require(self, name: str) -> None:
        if name not in self._meshes:
            raise ValueError(f"{name} not in collision manager!")


def _pair(a: str, b: str) -> Tuple[str, str]:
    return (a, b) if a <= b else (b, a)


def _contacts_of(name_a: str, a: _core.Mesh, name_b: str, b: _core.Mesh) -> List[ContactData]:
    scene = _core.Scene("cpu")
    scene.add(a)
    scene.add(b)
    return _data(Report(scene.collide(), [name_a, name_b]))


def _data(report: Report) -> List[ContactData]:
    offsets, coordinates = report.points()
    rows = coordinates.tolist()
    names = report.names
    return [ContactData((names[c.object_a], names[c.object_b]), (c.a, c.b), c.kind, rows[offsets[i]:offsets[i + 1]])
            for i, c in enumerate(report)]


def _answer(report: Report, return_names: bool, return_data: bool, name_of: Any) -> Any:
    answer: List[Any] = [len(report) > 0]
    names = report.names
    if return_names:
        rows = {tuple(row) for row in report.objects.tolist()}
        answer.append({name_of(names[a], names[b]) for a, b in rows})
    if return_data:
        answer.append(_data(report))
    return answer[0] if len(answer) == 1 else tuple(answer)


def _apart(a: _core.Mesh, b: _core.Mesh) -> float:
    """A lower bound of the distance, by boxes; below the true one by some roundings. 0 where boxes meet."""
    (low_a, high_a), (low_b, high_b) = _core.bounds(a), _core.bounds(b)
    if low_a[0] > high_a[0] or low_b[0] > high_b[0]:
        return math.inf
    gaps = [max(0.0, low_b[k] - high_a[k], low_a[k] - high_b[k]) for k in range(3)]
    return math.hypot(*gaps) * (1 - 1e-14)


def _nearest(pairs: Iterable[Any]) -> Optional[Tuple[str, str, float]]:
    """The nearest pair: pairs in the order of their boxes' distances, until no box can be nearer."""
    ranked = sorted(((_apart(a, b), i, name_a, a, name_b, b) for i, ((name_a, a), (name_b, b)) in enumerate(pairs)),
                    key=lambda entry: entry[:2])
    best: Optional[Tuple[str, str, float]] = None
    for bound, _, name_a, a, name_b, b in ranked:
        if math.isinf(bound) or (best is not None and bound >= best[2]):
            break
        gap = _core.relation(a, b, math.inf if best is None else best[2])[2]
        if gap < math.inf and (best is None or gap < best[2]):
            best = (name_a, name_b, gap)
    return best


def _distance_answer(found: Optional[Tuple[str, str, float]], return_names: bool, return_data: bool,
                     name_of: Any) -> Any:
    answer: List[Any] = [math.inf if found is None else found[2]]
    if return_names:
        answer.append(None if found is None else name_of(found[0], found[1]))
    if return_data:
        answer.append(None if found is None else DistanceData({found[0], found[1]}, found[2]))
    return answer[0] if len(answer) == 1 else tuple(answer)
