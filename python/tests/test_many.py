"""check_many: one row for each file, whatever happens to files, processes and the run itself."""
import concurrent.futures
import json
import logging
import os
import signal
import tempfile
import threading
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

    def test_another_file_is_not_taken_for_rows(self):
        for text in ("no json\n", "[1]\n", '{"a": 1}\n'):
            with open(self.out, "w") as file:
                file.write(text)
            with self.assertRaisesRegex(ValueError, "out.jsonl: line 1 is no row of check_many"):
                list(sightline.check_many(self.files.all, output=self.out))
            with open(self.out) as file:
                self.assertEqual(file.read(), text)

    def test_a_killed_process_costs_no_answer(self):
        rows = []
        for row in sightline.check_many(self.files.all * 2, workers=2, output=self.out):
            rows.append(row)
            if len(rows) == 4:
                os.kill(next(iter(children())), signal.SIGKILL)
        self.assertEqual(answers(rows), self.want)
        self.assertEqual(answers(self.stored()), self.want)


def children():
    with open(f"/proc/self/task/{threading.main_thread().native_id}/children") as file:
        pids = [int(pid) for pid in file.read().split()]
    return [pid for pid in pids if b"spawn_main" in command(pid)]


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
