"""The answer of a query."""
from __future__ import annotations

import enum
import html
import operator
import os
import tempfile
from typing import (Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, SupportsIndex, Tuple,
                    Union, overload)

from . import _core
from ._arrays import export
from ._mesh import Mesh, _restored as _restored_mesh, _stored as _stored_mesh

PathLike = Union[str, "os.PathLike[str]"]


def inline(text: str, write: Callable[[str], None]) -> str:
    """HTML for a notebook: a text, and under it the page that write(path) makes."""
    if not _core.has_viewer():
        return text
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        write(path)
        with open(path, encoding="utf-8") as file:
            page = html.escape(file.read(), quote=True)
    return f"{text}<iframe style='width:100%;height:520px;border:0' srcdoc=\"{page}\"></iframe>"


def html_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = ("".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) for row in rows)
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


class Kind(enum.IntEnum):
    """The kind of a contact (docs/definitions.md)."""

    touching = 0
    crossing = 1
    coplanar = 2
    duplicate = 3


class Contact(NamedTuple):
    """Triangle `a` of object `object_a` meets triangle `b` of object `object_b`."""

    object_a: int
    object_b: int
    a: int
    b: int
    kind: Kind


class RaggedPoints(NamedTuple):
    """The points of contact i are coordinates[offsets[i]:offsets[i + 1]]: one point, the two ends of a segment, or the
    corners of a polygon."""

    offsets: Any
    coordinates: Any


class Report:
    """Contacts in canonical order.

    >>> import pickle, sightline
    >>> vertices = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1], [2, 1, 1]]
    >>> report = sightline.self_intersections(vertices, [[0, 1, 2], [3, 4, 5]])
    >>> len(report), bool(report), report.found, report.complete
    (1, True, 1, True)
    >>> report.kind.tolist() == [sightline.Kind.crossing]
    True
    >>> offsets, coordinates = report.points()
    >>> offsets.tolist(), coordinates.tolist()
    ([0, 2], [[1.0, 1.0, 0.0], [1.5, 1.0, 0.0]])
    >>> pickle.loads(pickle.dumps(report)) == report
    True
    """

    __slots__ = ("_core", "_names", "_stats", "_pairs", "_kind")

    def __init__(self, core: _core.Report, names: Optional[List[str]] = None) -> None:
        self._core = core
        self._names = names
        self._stats: Optional[Dict[str, Any]] = None
        self._pairs: Any = None
        self._kind: Any = None

    @property
    def pairs(self) -> Any:
        """The triangles of each contact, (k, 2) uint32; the smaller one first within one object."""
        if self._pairs is None:
            self._pairs = export(self._core.pairs())
        return self._pairs

    @property
    def kind(self) -> Any:
        """The Kind of each contact, (k,) uint8."""
        if self._kind is None:
            self._kind = export(self._core.kinds())
        return self._kind

    @property
    def objects(self) -> Any:
        """The objects of each contact, (k, 2) uint32: numbers of `names`. All 0 for one mesh with itself."""
        return export(self._core.objects())

    @property
    def names(self) -> List[str]:
        """The name of each object, by its number."""
        if self._names is None:
            return [mesh.name if mesh is not None else "" for mesh in self._core.meshes()]
        return list(self._names)

    @property
    def found(self) -> int:
        """Contacts found; more than the list has if max_contacts cut it."""
        return self._core.found

    @property
    def complete(self) -> bool:
        """False if `first` ended the query or max_contacts cut the list."""
        return self._core.complete

    @property
    def stats(self) -> Dict[str, Any]:
        """Times and counts of the query."""
        if self._stats is None:
            self._stats = self._core.stats()
        return self._stats

    @property
    def counts(self) -> Dict[str, int]:
        """Contacts in the list by kind."""
        return {kind.name: count for kind, count in zip(Kind, self._core.counts())}

    def points(self, threads: int = 0) -> RaggedPoints:
        """The common points of each contact, rounded to nearest. They are computed from the arrays as they are now:
        call it before the arrays change."""
        offsets, coordinates = self._core.points(threads)
        return RaggedPoints(export(offsets), export(coordinates))

    def meshes(self) -> List[Optional[Mesh]]:
        """The mesh of each object, by its number; None for an object that was removed."""
        return [None if mesh is None else Mesh._of(mesh) for mesh in self._core.meshes()]

    def select(self, a: Union[int, str], b: Union[int, str]) -> Report:
        """The contacts of one pair of objects, given by numbers or names."""
        names = self.names
        for name in (a, b):
            if isinstance(name, str) and name not in names:
                raise KeyError(f"report: there is no object {name!r}")
        pair = sorted(names.index(x) if isinstance(x, str) else operator.index(x) for x in (a, b))
        chosen = [i for i, objects in enumerate(self.objects.tolist()) if objects == pair]
        return self._parts([chosen], len(chosen), self.complete)[0]

    def take(self, contacts: Iterable[SupportsIndex]) -> Report:
        """The contacts with these numbers. `found` is still that of the query. report[i:j] takes a slice.

        >>> import sightline
        >>> vertices = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1], [2, 1, 1]]
        >>> report = sightline.self_intersections(vertices, [[0, 1, 2], [3, 4, 5]])
        >>> report.take([0]) == report[:] == report
        True
        """
        chosen = [self._number(i) for i in contacts]
        return self._parts([chosen], self.found, self.complete and len(set(chosen)) == len(self))[0]

    def _parts(self, all_chosen: Sequence[Sequence[int]], found: int, complete: bool) -> List[Report]:
        stored, meshes, parts = self._core.stored(), self._core.meshes(), []
        size = len(stored) // max(1, len(self))
        for chosen in all_chosen:
            some = b"".join(stored[size * i:size * (i + 1)] for i in chosen)
            parts.append(Report(_core.Report.restored(some, found, complete, meshes), self._names))
            parts[-1]._stats = self.stats
        return parts

    def _number(self, i: SupportsIndex) -> int:
        try:
            at = operator.index(i)
        except TypeError:
            raise TypeError(f"a contact has a number, not {type(i).__name__}") from None
        if not -len(self) <= at < len(self):
            raise IndexError(f"contact {at}: there are {len(self)}")
        return at % len(self)

    def clusters(self, threads: int = 0) -> List[Report]:
        """The contacts of each place, the place with the most contacts first. Contacts of one pair of objects are in
        one place if their triangles are the same or share a vertex on both sides, or if a chain of such contacts joins
        them.

        >>> import sightline
        >>> triangle = [[0, 0, 0], [4, 0, 0], [0, 4, 0]]
        >>> blades = [[1, 1, -1], [1, 1, 1], [2, 1, 1], [1, 2, -1], [1, 2, 1], [0, 2, 1]]
        >>> report = sightline.self_intersections(triangle + blades, [[0, 1, 2], [3, 4, 5], [6, 7, 8]])
        >>> [place.pairs.tolist() for place in report.clusters()]
        [[[0, 1]], [[0, 2]]]
        """
        offsets, contacts = (memoryview(array).tolist()  # type: ignore[arg-type]
                             for array in _core.clusters(self._core, threads))
        places = [contacts[i:j] for i, j in zip(offsets, offsets[1:])]
        return self._parts(places, self.found, self.complete and len(places) == 1)

    def to_html(self, path: PathLike, title: str = "", up: int = 2) -> None:
        """Writes one HTML file that shows the meshes and the contacts in a browser, without a network."""
        _core.write_html(self._core, os.fsencode(path), title or "sightline", up)

    def to_png(self, path: PathLike, width: int = 1600, height: int = 1000, up: int = 2) -> None:
        """Writes a picture from the direction from which the largest cluster of contacts is seen best."""
        _core.write_png(self._core, os.fsencode(path), width, height, up)

    def _repr_html_(self) -> Optional[str]:
        return inline(f"<p>{html.escape(repr(self))}</p>", self.to_html) if _core.has_viewer() else None

    def __len__(self) -> int:
        return len(self._core)

    @overload
    def __getitem__(self, i: SupportsIndex) -> Contact: ...

    @overload
    def __getitem__(self, i: slice) -> Report: ...

    def __getitem__(self, i: Union[SupportsIndex, slice]) -> Union[Contact, Report]:
        if isinstance(i, slice):
            return self.take(range(*i.indices(len(self))))
        object_a, object_b, a, b, kind = self._core.contact(self._number(i))
        return Contact(object_a, object_b, a, b, Kind(kind))

    def __iter__(self) -> Iterator[Contact]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Equal contacts, found and complete; meshes and statistics do not count."""
        if not isinstance(other, Report):
            return NotImplemented
        return (self._core.stored(), self.found, self.complete) == (other._core.stored(), other.found, other.complete)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = [f"{count:,} {name}" for name, count in self.counts.items() if count]
        kinds = f" ({', '.join(counts)})" if counts else ""
        cut = "" if self.complete else f", not complete ({self.found:,} found)"
        of = self.stats.get("triangles", 0)
        return (f"<sightline.Report: {len(self):,} contact{'' if len(self) == 1 else 's'}{kinds}"
                f" of {of:,} triangle{'' if of == 1 else 's'}{cut}>")

    def __reduce__(self) -> Tuple[Any, ...]:
        meshes = [None if mesh is None else _stored_mesh(mesh) for mesh in self._core.meshes()]
        return _restored, (self._core.stored(), self.found, self.complete, meshes, self._names, self.stats)


def _restored(contacts: bytes, found: int, complete: bool, meshes: List[Any], names: Optional[List[str]],
              stats: Dict[str, Any]) -> Report:
    cores = [None if mesh is None else _restored_mesh(*mesh)._core for mesh in meshes]
    report = Report(_core.Report.restored(contacts, found, complete, cores), names)
    report._stats = stats
    return report
