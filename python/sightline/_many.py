"""Many files: bounded memory, one row for each file, JSON lines, resumable."""
from __future__ import annotations

import concurrent.futures
import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from typing import Any, Dict, Iterable, Iterator, Optional, Set, Tuple, Union

from ._report import PathLike

Row = Dict[str, Any]
Arguments = Tuple[int, bool]  # threads and first, of check_file


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


def check_many(paths: Union[PathLike, Iterable[PathLike]], *, output: Optional[PathLike] = None, executor: Any = None,
               workers: int = 0, resume: bool = True, retry_errors: bool = False, threads: int = 1, first: bool = False,
               max_pending: int = 0) -> Iterator[Row]:
    """Checks files as `check` does and yields a row (Check.to_dict and `error`) for each, as soon as it is there.

    paths: one path, or any iterable; it is read as files are needed. A path that comes again is not checked again.
    output: a file of JSON lines to which each row is appended. With `resume` the paths that it already answers are
        skipped, and a row that a crash cut off is removed; `retry_errors` checks the paths again whose row has an
        error. A file that has anything but rows is an error and stays as it is.
    executor: a concurrent.futures.Executor or a client of Dask (distributed.Client). Without one the files are checked
        in this process, or by `workers` processes.
    threads: of each query.
    max_pending: files that wait or run at the same time, by default 4 for each worker; it bounds the memory.

    A bad file is a row with an error. If a process of `workers` dies, its file is checked again by a new one; a file
    that ends two of them is a row with an error. If an executor breaks (BrokenExecutor: one of its processes died), the
    files that it has not answered, and all later ones, are checked by as many processes of this function. Dask moves
    the files of a lost worker to another one.

    >>> list(check_many("/no/such/file.stl"))[0]["error"]
    "FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file.stl'"
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(f"check_many: executor is a concurrent.futures.Executor or a client of Dask, "
                        f"not {type(executor).__name__}")
    if workers < 0 or max_pending < 0:
        raise ValueError(f"check_many: workers is {workers} and max_pending is {max_pending}; neither can be negative")
    return _Run(output, resume, retry_errors, (threads, first)).rows(paths, executor, workers, max_pending)


class _Run:
    def __init__(self, output: Optional[PathLike], resume: bool, retry_errors: bool, arguments: Arguments) -> None:
        self.arguments = arguments
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
        """The paths of all rows. The file is cut after the last whole one; anything that is no row is an error."""
        end = 0
        for number, line in enumerate(self.file, 1):
            row = _row_of(line)
            if row == {}:
                break
            if row is None:
                raise ValueError(f"{self.file.name}: line {number} is no row of check_many: {line[:80]!r}")
            if not (retry_errors and row["error"] is not None):
                self.answered.add(row["path"])
            end += len(line)
            if not line.endswith(b"\n"):
                self.file.write(b"\n")
                end += 1
        self.file.seek(end)
        self.file.truncate()

    def rows(self, paths: Iterable[PathLike], executor: Any, workers: int, max_pending: int) -> Iterator[Row]:
        try:
            todo = self._new(paths)
            if executor is None and workers == 0:
                answers: Iterator[Row] = (check_file(path, *self.arguments) for path in todo)
            else:
                width = workers if executor is None else _width(executor)
                answers = _pooled(todo, self.arguments, executor, width, max_pending or 4 * width)
            for row in answers:
                if self.file is not None:
                    self.file.write((json.dumps(row) + "\n").encode())
                    self.file.flush()
                yield row
        finally:
            if self.file is not None:
                self.file.close()

    def _new(self, paths: Iterable[Any]) -> Iterator[str]:
        for path in paths:
            # Such as the NaN of a column of paths: the row is that of a file that does not exist.
            name = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else str(path)
            if name not in self.answered:
                self.answered.add(name)
                yield name


_ROW = b'{"path": "'  # the beginning of every row


def _row_of(line: bytes) -> Optional[Row]:
    """The row of a line; an empty one for a row that was cut off; None for anything else."""
    try:
        row = json.loads(line)
    except ValueError:
        is_cut = not line.endswith(b"\n") and (line.startswith(_ROW) or _ROW.startswith(line))
        return {} if is_cut else None
    return row if isinstance(row, dict) and isinstance(row.get("path"), str) and "error" in row else None


def _width(executor: Any) -> int:
    """How many files an executor runs at a time."""
    threads = getattr(executor, "nthreads", None)  # of a client of Dask: {worker: threads}
    if callable(threads):
        return max(1, int(sum(threads().values())))
    return int(getattr(executor, "_max_workers", 0)) or os.cpu_count() or 1


def _pooled(todo: Iterator[str], arguments: Arguments, executor: Any, width: int, most: int) -> Iterator[Row]:
    """The rows from an executor, or from processes of our own, at most `most` files at a time."""
    own = None
    pending: Dict[Any, str] = {}
    done: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
    try:
        if executor is None:
            executor = own = _Processes(width)
        while True:
            while len(pending) < most:
                path = next(todo, None)
                if path is None:
                    break
                future = _submitted(executor, path, arguments)
                pending[future] = path
                future.add_done_callback(done.put)
            if not pending:
                return
            future = done.get()
            path = pending.pop(future)
            row = _answer(future, path)
            if row is not None:
                yield row
                continue
            # The executor broke. Not all of its futures need to end.
            broken, pending, done, again = pending, {}, queue.SimpleQueue(), [path]
            executor = own = _Processes(width)
            for future, path in broken.items():
                row = _answer(future, path) if future.done() else None
                if row is None:
                    again.append(path)
                else:
                    yield row
            todo = itertools.chain(again, todo)
    finally:
        for future in pending:
            future.cancel()
        if own is not None:
            own.close()


def _submitted(executor: Any, path: str, arguments: Arguments) -> Any:
    try:
        if isinstance(executor, _Processes):
            return executor.submit(executor.check_file, path, *arguments)
        if isinstance(executor, concurrent.futures.Executor):
            return executor.submit(check_file, path, *arguments)
        return executor.submit(check_file, path, *arguments, pure=False)
    except concurrent.futures.BrokenExecutor as error:
        future: "concurrent.futures.Future[Row]" = concurrent.futures.Future()
        future.set_exception(error)
        return future


def _answer(future: Any, path: str) -> Optional[Row]:
    """The row of a file; None if its executor broke."""
    try:
        row: Row = future.result()
        return row
    except concurrent.futures.BrokenExecutor:
        return None
    except Exception as error:  # such as distributed.KilledWorker
        return _failed(path, error)


class _Processes(concurrent.futures.ThreadPoolExecutor):
    """Files in processes, one for each thread. A process that dies takes no other file with it. The processes import
    this package, and nothing of the caller's program."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._mine = threading.local()
        self._lock = threading.Lock()
        self._all: Set[Any] = set()
        self._closed = False

    def check_file(self, path: str, threads: int, first: bool) -> Row:
        for _ in range(2):
            process = self._process()
            try:
                process.stdin.write((json.dumps([path, threads, first]) + "\n").encode())
                process.stdin.flush()
                answer = process.stdout.readline()
            except OSError:
                answer = b""
            if answer.endswith(b"\n"):
                row: Row = json.loads(answer)
                return row
            self._end(process)
        return {"path": path, "error": f"the process that checked this file died, twice (status {process.returncode})"}

    def _process(self) -> Any:
        process = getattr(self._mine, "process", None)
        with self._lock:
            if self._closed:
                raise concurrent.futures.CancelledError()
            if process not in self._all:
                folders = [folder for folder in sys.path if isinstance(folder, str)]
                process = self._mine.process = subprocess.Popen([sys.executable, "-c", _SERVE, *folders],
                                                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                self._all.add(process)
        return process

    def _end(self, process: Any) -> None:
        process.kill()
        process.wait()
        process.stdout.close()
        try:
            process.stdin.close()
        except OSError:  # a path is left in the buffer
            pass
        with self._lock:
            self._all.discard(process)

    def close(self) -> None:
        """Ends all processes, also those that are checking a file."""
        with self._lock:
            self._closed = True
            for process in self._all:
                process.kill()
        self.shutdown(wait=True)
        for process in list(self._all):
            self._end(process)


_SERVE = "import sys; sys.path[:] = sys.argv[1:]; from sightline._many import _serve; _serve()"


def _serve() -> None:
    """A process of _Processes: a row for each file on standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the caller, which ends this process
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # what is printed does not mix with the answers
        for line in sys.stdin.buffer:
            answers.write((json.dumps(check_file(*json.loads(line))) + "\n").encode())
            answers.flush()
