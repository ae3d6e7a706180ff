"""The notebooks run from the first cell to the last, and the reports in them are pages."""
import glob
import os
import unittest

import sightline

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "notebooks")


class Notebooks(unittest.TestCase):
    def test_all(self):
        try:
            import nbformat
            from nbconvert.preprocessors import ExecutePreprocessor
            import ipykernel  # noqa: F401
        except ImportError as error:
            self.skipTest(f"{error.name} is not installed")
        # Debian's kernel is /usr/bin/python3, which does not have the package of this environment.
        os.environ["PYTHONPATH"] = os.path.dirname(os.path.dirname(sightline.__file__))
        paths = sorted(glob.glob(os.path.join(FOLDER, "*.ipynb")))
        self.assertEqual(len(paths), 3)
        for path in paths:
            with self.subTest(notebook=os.path.basename(path)):
                book = nbformat.read(path, as_version=4)
                ExecutePreprocessor(timeout=300).preprocess(book, {"metadata": {"path": FOLDER}})
                last = book.cells[-1].outputs[0].data
                is_table = os.path.basename(path) == "assembly.ipynb"
                self.assertIn("Clash(" if is_table else "sightline.Report", last["text/plain"])
                if is_table:
                    self.assertIn("<td>pin</td><td>clash</td>", last["text/html"])
                if sightline._core.has_viewer():
                    self.assertIn("<iframe", last["text/html"])


if __name__ == "__main__":
    unittest.main()
