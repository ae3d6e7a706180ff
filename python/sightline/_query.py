"""Self-intersections of one mesh."""
from __future__ import annotations

from typing import Any, Callable, Optional, Union

from . import _core
from ._arrays import need
from ._gpu import GpuReport
from ._mesh import core_mesh
from ._report import Report

Progress = Union[None, bool, Callable[[float], Any]]


def progress_of(progress: Progress, title: str) -> Optional[Callable[[float], Any]]:
    """A callable; True becomes a bar of tqdm."""
    if progress is None or progress is False:
        return None
    if callable(progress):
        return progress
    if progress is not True:
        raise TypeError(f"progress is None, True or a callable, not {type(progress).__name__}")
    bar = need("tqdm.auto", "progress=True").tqdm(total=1.0, desc=title, bar_format="{desc}: {percentage:3.0f}%|{bar}|")

    def update(fraction: float) -> None:
        bar.update(fraction - bar.n)
        if fraction >= 1:
            bar.close()

    return update


def self_intersections(vertices: Any, faces: Any = None, *, threads: int = 0, first: bool = False,
                       max_contacts: Optional[int] = None, progress: Progress = None, device: str = "cpu") -> Report:
    """All contacts of one mesh with itself.

    vertices, faces: arrays of the shapes (n, 3) and (m, 3) (see Mesh), or a Mesh and nothing else.
    threads: threads that work; 0: one for each core (a query of a few thousand triangles stays on this thread).
    first: stop at the first contact.
    max_contacts: keep only this many contacts, the first in canonical order; `found` still counts all.
    progress: a callable that takes the fraction done, or True for a bar of tqdm.
    device: "cpu", "cuda", "cuda:1" or "best"; a missing device raises DeviceError.

    Arrays in the memory of a GPU are for self_intersections_gpu. The GIL is released. Ctrl-C ends the query and raises
    KeyboardInterrupt.

    >>> import sightline
    >>> sightline.self_intersections([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 7]])
    Traceback (most recent call last):
        ...
    ValueError: faces: row 0 has the index 7, which is out of range: there are 3 vertices
    """
    call = None if progress is None else progress_of(progress, "self-intersections")
    return Report(_core.self_intersections(core_mesh(vertices, faces), threads, first, max_contacts, call, device))


def self_intersections_gpu(vertices: Any, faces: Any, *, stream: int = 0) -> GpuReport:
    """All contacts of one mesh with itself, for C-contiguous arrays in the memory of a GPU (__cuda_array_interface__ or
    DLPack): float32 or float64 vertices, uint32 or int32 faces. The arrays never touch the host, the work goes into the
    given CUDA stream (0: the stream of the array), and the contacts stay on the GPU. DeviceError names what is missing.
    """
    return GpuReport(_core.query_gpu(vertices, faces, stream))
