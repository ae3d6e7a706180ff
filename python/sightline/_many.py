"""Many files: bounded memory, one row for each file, JSON lines, resumable."""
from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import os
import queue
from typing import Any, Dict, Iterable, Iterator, Optional, Set

from ._report import PathLike

Row = Dict[str, Any]


def check_file(path: str, threads: int = 1, first: bool = False) -> Row:
    """The row of one file. Whatever is wrong with the file becomes the `error` of its row."""
    from ._files import check

    try:
        return dict(check(path, threads=threads, first=first).to_dict(), error=None)
    except (Exception, MemoryError) as error:
        return _failed(path, error)


def _failed(path: str, error: BaseException) -> Row:
    text = str(error) or type(error).__name__
    return {"path": path, "error": text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"}


def check_many(paths: Iterable[PathLike], *, output: Optional[PathLike] = None, executor: Any = None, workers: int = 0,
               resume: bool = True, retry_errors: bool = False, threads: int = 1, first: bool = False,
               max_pending: int = 0) -> Iterator[Row]:
    """Checks files as `check` does and yields a row (Check.to_dict and `error`) for each, as soon as it is there.

    paths: any iterable; it is read as files are needed. A path that comes again is not checked again.
    output: a file of JSON lines to which each row is appended. With `resume` the paths that it already answers are
        skipped, and a line that a crash cut off is removed; `retry_errors` checks the paths again whose row has an
        error.
    executor: a concurrent.futures.Executor or a client of Dask (distributed.Client). Without one the files are checked
        in this process, or by `workers` processes.
    threads: of each query.
    max_pending: files that wait or run at the same time, by default 4 for each worker; it bounds the memory.

    A bad file is a row with an error. If a process of `workers` dies, its files are checked again, one at a time; a
    file that ends its process twice is a row with an error. Dask moves the files of a lost worker to another one.

    >>> list(check_many(["/no/such/file.stl"]))[0]["error"]
    "FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file.stl'"
    """
    return _Run(output, resume, retry_errors, threads, first).rows(paths, executor, workers, max_pending)


class _Run:
    def __init__(self, output: Optional[PathLike], resume: bool, retry_errors: bool, threads: int,
                 first: bool) -> None:
        self.arguments = (threads, first)
        self.answered: Set[str] = set()
        self.file: Any = None
        if output is not None:
            self.file = open(output, "r+b" if resume and os.path.exists(output) else "w+b")
            try:
                self._read_answers(retry_errors)
            except BaseException:
                self.file.close()
                raise

    def _read_answers(self, retry_errors: bool) -> None:
        """The paths of all whole lines. The file is cut after the last of them; lines without a path are an error."""
        end = 0
        for number, line in enumerate(self.file, 1):
            if not line.endswith(b"\n"):
                break
            try:
                row = json.loads(line)
                path, failed = row["path"], row.get("error") is not None
            except (ValueError, KeyError, TypeError, AttributeError):
                raise ValueError(f"{self.file.name}: line {number} is no row of check_many: {line[:80]!r}") from None
            if not (failed and retry_errors):
                self.answered.add(path)
            end += len(line)
        self.file.seek(end)
        self.file.truncate()

    def rows(self, paths: Iterable[PathLike], executor: Any, workers: int, max_pending: int) -> Iterator[Row]:
        try:
            todo = self._new(paths)
            if executor is not None:
                pending = max_pending or 4 * _width(executor)
                answers = _Pool(lambda: executor, False, pending).run(todo, self.arguments)
            elif workers > 0:
                answers = _Pool(lambda: _processes(workers), True, max_pending or 4 * workers).run(todo, self.arguments)
            else:
                answers = (check_file(path, *self.arguments) for path in todo)
            for row in answers:
                if self.file is not None:
                    self.file.write((json.dumps(row) + "\n").encode())
                    self.file.flush()
                yield row
        finally:
            if self.file is not None:
                self.file.close()

    def _new(self, paths: Iterable[PathLike]) -> Iterator[str]:
        for path in paths:
            name = os.fspath(path)
            if name not in self.answered:
                self.answered.add(name)
                yield name


def _processes(workers: int) -> concurrent.futures.Executor:
    # "spawn": a forked process would inherit the locks of threads that it does not have.
    context = multiprocessing.get_context("spawn")
    return concurrent.futures.ProcessPoolExecutor(workers, mp_context=context)


def _width(executor: Any) -> int:
    """How many files an executor runs at a time."""
    threads = getattr(executor, "nthreads", None)  # of a client of Dask: {worker: threads}
    if callable(threads):
        return max(1, int(sum(threads().values())))
    return int(getattr(executor, "_max_workers", 0)) or os.cpu_count() or 1


class _Pool:
    """Files in an executor, at most `most` at a time. An executor of our own is replaced if it breaks."""

    def __init__(self, make: Any, own: bool, most: int) -> None:
        self.make = make
        self.own = own
        self.most = most

    def run(self, todo: Iterator[str], arguments: Any) -> Iterator[Row]:
        executor = self.make()
        pending: Dict[Any, str] = {}
        done: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        try:
            while True:
                suspects = []
                try:
                    while len(pending) < self.most:
                        path = next(todo, None)
                        if path is None:
                            break
                        suspects = [path]  # not yet accepted by the executor
                        pending[self._submit(executor, path, arguments, done)] = path
                        suspects = []
                except concurrent.futures.BrokenExecutor:
                    if not self.own:
                        raise
                if not pending and not suspects:
                    return
                if pending:
                    future = done.get()
                    path = pending.pop(future)
                    try:
                        row = future.result()
                    except concurrent.futures.BrokenExecutor as error:
                        if not self.own:
                            yield _failed(path, error)
                            continue
                        suspects.append(path)
                    except Exception as error:  # such as distributed.KilledWorker
                        yield _failed(path, error)
                        continue
                    else:
                        yield row
                if suspects:
                    executor.shutdown(wait=True)
                    suspects += pending.values()
                    pending, done = {}, queue.SimpleQueue()
                    for path in suspects:
                        yield _alone(path, arguments)
                    executor = self.make()
        finally:
            for future in pending:
                future.cancel()
            if self.own:
                executor.shutdown(wait=True)

    def _submit(self, executor: Any, path: str, arguments: Any, done: "queue.SimpleQueue[Any]") -> Any:
        if isinstance(executor, concurrent.futures.Executor):
            future: Any = executor.submit(check_file, path, *arguments)
        else:
            future = executor.submit(check_file, path, *arguments, pure=False)
        future.add_done_callback(lambda _: done.put(future))
        return future


def _alone(path: str, arguments: Any) -> Row:
    """The row of a file that was in the executor when one of its processes died: in a process of its own."""
    with _processes(1) as executor:
        try:
            return executor.submit(check_file, path, *arguments).result()
        except concurrent.futures.BrokenExecutor:
            return {"path": path, "error": "the process that checked this file died, twice"}
