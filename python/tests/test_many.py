"""check_many: one row for each file, whatever happens to files, processes and the run itself."""
import concurrent.futures
import json
import logging
import multiprocessing
import os
import pathlib
import signal
import tempfile
import time
import unittest

import sightline
from support import box, joined, soup


class Files:
    """Good files, bad ones, and one that does not exist."""

    def __init__(self, folder, count=12, triangles=60):
        self.paths = []
        for i in range(count):
            path = os.path.join(folder, f"mesh_{i:03}.off")
            sightline.write(path, soup(triangles, seed=i) if i % 2 else joined(box(), box((0.5, 0.5, 0.5))))
            self.paths.append(path)
        self.bad = os.path.join(folder, "bad.off")
        with open(self.bad, "w") as file:
            file.write("OFF\n3 1 0\n0 0 0\n1 0 x\n0 1 0\n3 0 1 2\n")
        self.missing = os.path.join(folder, "missing.stl")
        self.all = self.paths[:3] + [self.bad] + self.paths[3:] + [self.missing]


def answers(rows):
    return sorted((row["path"], row["error"] is None, row.get("found")) for row in rows)


class Many(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.files = Files(self.folder)
        self.want = answers([dict(sightline.check(p).to_dict(), error=None) for p in self.files.paths] +
                            [{"path": p, "error": "x"} for p in (self.files.bad, self.files.missing)])
        self.out = os.path.join(self.folder, "out.jsonl")

    def stored(self):
        with open(self.out) as file:
            return [json.loads(line) for line in file]

    def test_serial(self):
        rows = list(sightline.check_many(self.files.all, output=self.out))
        self.assertEqual(answers(rows), self.want)
        self.assertEqual(self.stored(), rows)
        errors = {row["path"]: row["error"] for row in rows if row["error"]}
        self.assertIn("bad.off", errors[self.files.bad])
        self.assertIn("No such file", errors[self.files.missing])

    def test_executors(self):
        with concurrent.futures.ThreadPoolExecutor(3) as executor:
            rows = list(sightline.check_many(self.files.all, executor=executor, max_pending=2))
        self.assertEqual(answers(rows), self.want)
        self.assertEqual(answers(sightline.check_many(self.files.all, workers=2)), self.want)

    def test_paths_are_read_as_they_are_needed(self):
        taken = []

        def paths():
            for path in self.files.all:
                taken.append(path)
                yield path

        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            rows = sightline.check_many(paths(), executor=executor, max_pending=3)
            for done in range(1, 6):
                next(rows)
                self.assertLessEqual(len(taken), done + 3)
            rows.close()

    def test_a_run_resumes_where_it_ended(self):
        first = sightline.check_many(self.files.all, output=self.out)
        some = [next(first) for _ in range(5)]
        first.close()
        with open(self.out, "a") as file:
            file.write('{"path": "' + 100_000 * "x")  # as a crash in the middle of a write leaves it
        rest = list(sightline.check_many(self.files.all + self.files.all[:3], output=self.out))
        self.assertEqual(answers(some + rest), self.want)
        self.assertEqual(answers(self.stored()), self.want)
        self.assertEqual(list(sightline.check_many(self.files.all, output=self.out)), [])
        again = list(sightline.check_many(self.files.all, output=self.out, retry_errors=True))
        self.assertEqual({row["path"] for row in again}, {self.files.bad, self.files.missing})
        fresh = list(sightline.check_many(self.files.paths[:2], output=self.out, resume=False))
        self.assertEqual(self.stored(), fresh)

    def test_a_cut_line_is_removed_and_a_whole_one_without_its_end_is_kept(self):
        whole = list(sightline.check_many(self.files.paths[:2], output=self.out))
        for cut in ('{', '{"path"', json.dumps(whole[1])[:-1]):
            with open(self.out, "w") as file:
                file.write(json.dumps(whole[0]) + "\n" + cut)
            self.assertEqual(list(sightline.check_many(self.files.paths[:2], output=self.out)), whole[1:])
            self.assertEqual(self.stored(), whole)
        with open(self.out, "w") as file:
            file.write("\n".join(map(json.dumps, whole)))
        self.assertEqual(list(sightline.check_many(self.files.paths[:2], output=self.out)), [])
        self.assertEqual(self.stored(), whole)

    def test_another_file_is_not_taken_for_rows(self):
        for text in ("no json", "[1]", '{"a": 1}', '{"path": "a.off", "label": 3}', '{"path": [1], "error": null}',
                     "a,b,c\n1,2,3", "\n"):
            for end in ("", "\n"):
                with open(self.out, "w") as file:
                    file.write(text + end)
                with self.assertRaisesRegex(ValueError, "out.jsonl: line 1 is no row of check_many"):
                    sightline.check_many(self.files.all, output=self.out)
                with open(self.out) as file:
                    self.assertEqual(file.read(), text + end)

    def test_one_path_is_no_sequence_of_letters(self):
        path = self.files.paths[0]
        for one in (path, pathlib.Path(path), os.fsencode(path)):
            self.assertEqual([row["path"] for row in sightline.check_many(one)], [path])
        rows = list(sightline.check_many([path, None, float("nan")]))
        self.assertEqual([(row["path"], row["error"] is None) for row in rows],
                         [(path, True), ("None", False), ("nan", False)])
        with self.assertRaisesRegex(TypeError, "executor is a concurrent.futures.Executor or a client of Dask, not int"):
            sightline.check_many(path, executor=2)
        for wrong in ({"workers": -1}, {"max_pending": -1}):
            with self.assertRaisesRegex(ValueError, "neither can be negative"):
                sightline.check_many(path, **wrong)

    def test_a_killed_process_costs_no_answer(self):
        rows = []
        for row in sightline.check_many(self.files.all * 2, workers=2, output=self.out):
            rows.append(row)
            if len(rows) == 4:
                os.kill(next(iter(children())), signal.SIGKILL)
        self.assertEqual(answers(rows), self.want)
        self.assertEqual(answers(self.stored()), self.want)
        self.assertEqual(children(), [])

    def test_an_executor_whose_process_is_killed_costs_no_answer(self):
        context = multiprocessing.get_context("spawn")
        for at in (1, 4):
            with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
                rows = []
                for row in sightline.check_many(self.files.all, executor=executor, output=self.out, resume=False,
                                                max_pending=3):
                    rows.append(row)
                    if len(rows) == at:
                        os.kill(next(iter(executor._processes)), signal.SIGKILL)
            self.assertEqual(answers(rows), self.want)
            self.assertEqual(answers(self.stored()), self.want)

    def test_a_file_that_kills_its_processes_is_a_row_with_an_error(self):
        killer = os.path.join(self.folder, "killer.off")
        with open(killer, "w") as file:
            file.write("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
        with open(os.path.join(self.folder, "sitecustomize.py"), "w") as file:
            file.write(KILLER)
        paths = self.files.all[:5] + [killer] + self.files.all[5:]
        old = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = self.folder + (os.pathsep + old if old else "")
        try:
            with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
                for options in ({"workers": 2}, {"executor": executor}):
                    rows = list(sightline.check_many(paths, **options))
                    self.assertEqual(answers(rows), sorted(self.want + [(killer, False, None)]))
                    errors = {row["path"]: row["error"] for row in rows}
                    self.assertEqual(errors[killer], "the process that checked this file died, twice (status -9)")
        finally:
            os.environ.pop("PYTHONPATH")
            if old is not None:
                os.environ["PYTHONPATH"] = old

    def test_a_run_that_is_left_ends_its_processes(self):
        rows = sightline.check_many(self.files.all, workers=2)
        next(rows)
        self.assertNotEqual(children(), [])
        rows.close()
        self.assertEqual(children(), [])


# Runs as each Python starts, in a process that checks files.
KILLER = """
import os, signal, sys
import sightline._many
check_file = sightline._many.check_file
def killing(path, *arguments):
    if path.endswith("killer.off"):
        os.kill(os.getpid(), signal.SIGKILL)
    return check_file(path, *arguments)
killing.__module__, killing.__qualname__ = "sightline._many", "check_file"
sightline._many.check_file = killing
"""


def children():
    """The processes that check files."""
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/children") as file:
                found += [int(pid) for pid in file.read().split()]
        except FileNotFoundError:  # the thread has ended
            pass
    return [pid for pid in found if b"_serve" in command(pid)]


def command(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()


class Dask(unittest.TestCase):
    """A scheduler and two worker processes, one of which is killed half-way."""

    def test_every_file_is_answered_once(self):
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            self.skipTest("Dask (Debian: python3-distributed) is not installed")
        with tempfile.TemporaryDirectory() as folder:
            files = Files(folder, count=60, triangles=2000)
            out = os.path.join(folder, "out.jsonl")
            want = answers(sightline.check_many(files.all))
            with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                              memory_limit=0, silence_logs=logging.CRITICAL) as cluster, Client(cluster) as client:
                rows, killed, used = [], None, set()
                for row in sightline.check_many(files.all, executor=client, output=out, max_pending=8):
                    rows.append(row)
                    if len(rows) == len(files.all) // 2:
                        used = set(client.run(os.getpid).values())
                        killed = sorted(used)[0]
                        os.kill(killed, signal.SIGKILL)
                self.assertEqual(len(used), 2)
                for _ in range(200):  # the nanny starts another worker in its place
                    now = set(client.run(os.getpid, on_error="ignore").values())
                    if killed not in now:
                        break
                    time.sleep(0.1)
                self.assertNotIn(killed, now)
            self.assertEqual(answers(rows), want)
            with open(out) as file:
                self.assertEqual(answers(map(json.loads, file)), want)


if __name__ == "__main__":
    unittest.main()
