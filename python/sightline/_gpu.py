"""Arrays in the memory of a GPU."""
from __future__ import annotations

from typing import Any, Dict

from . import _core


class GpuReport:
    """Contacts in the memory of a GPU, in canonical order. `pairs` (k, 2) uint32 and `kind` (k,) uint8 are views with
    __cuda_array_interface__ and __dlpack__, for CuPy, PyTorch and Numba; the list stays as long as a view of it."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.GpuReport) -> None:
        self._core = core

    @property
    def pairs(self) -> _core.GpuArray:
        return self._core.pairs()

    @property
    def kind(self) -> _core.GpuArray:
        return self._core.kinds()

    @property
    def stats(self) -> Dict[str, Any]:
        return self._core.stats()

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<sightline.GpuReport: {len(self):,} contacts on the GPU>"
