import pathlib
import tempfile
import types
import unittest

import equivalents
import report

DATA = b"int f(int a) {\n  return a < 3;\n}\n"


def mutation(number, text="<="):
    at = DATA.index(b"<")
    return types.SimpleNamespace(number=number, kind="relation", line=2, start=at, end=at + 1,
                                 text=text, function="f")


class ReportTest(unittest.TestCase):
    def test_a_survivor_is_a_diff_with_its_line(self):
        self.assertEqual(report.survivor("src/a.cc", DATA, mutation(7), "why"), """\
7  src/a.cc:2 in f: relation; why
@@ -1,3 +1,3 @@
 int f(int a) {
-  return a < 3;
+  return a <= 3;
 }
""")

    def test_the_table_counts_by_file(self):
        fates = {1: ("job_test", "x"), 2: (None, "y"), 3: (None, "z")}
        files = {1: "src/a.cc", 2: "src/a.cc", 3: "src/long.cc", 4: "src/a.cc", 5: "src/b.cc"}
        self.assertEqual(report.table(fates, files, {1, 2, 3}), [
            "file           all  reached  drawn  caught  survived",
            "src/a.cc         3      67%      2       1         1",
            "src/b.cc         1       0%      0       0",
            "src/long.cc      1     100%      1       0         1"])
        self.assertEqual(report.catchers(fates), "job_test 1")


class EquivalentsTest(unittest.TestCase):
    def sites(self):
        return {"src/a.cc": types.SimpleNamespace(data=DATA,
                                                  mutations=[mutation(7), mutation(8, ">=")])}

    def rows(self, becomes):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "equivalents.toml"
            path.write_text(f'[[equivalent]]\nfile = "src/a.cc"\nline = "return a < 3;"\n'
                            f'becomes = "{becomes}"\nwhy = "because"\n')
            return equivalents.load(path)

    def test_a_row_names_one_change_of_one_line(self):
        self.assertEqual(equivalents.listed(self.rows("return a <= 3;"), self.sites()),
                         {7: "because"})

    def test_a_row_that_names_nothing_any_more_is_an_error(self):
        with self.assertRaisesRegex(equivalents.UnknownError, "remove its row"):
            equivalents.listed(self.rows("return a != 3;"), self.sites())

    def test_rows_of_modules_that_are_not_looked_at_rest(self):
        self.assertEqual(equivalents.listed(self.rows("return a != 3;"), {}), {})

    def test_every_row_of_ours_has_a_reason(self):
        for row in equivalents.load():
            self.assertGreater(len(row["why"].split()), 3, row)
        for name, why in equivalents.unused_files().items():
            self.assertGreater(len(why.split()), 3, name)

    def test_a_file_that_is_gone_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "equivalents.toml"
            path.write_text('[[unused]]\nfile = "a.cc"\nwhy = "because it is so"\n')
            with self.assertRaisesRegex(equivalents.UnknownError, "remove its row"):
                equivalents.unused_files(path, pathlib.Path(folder))
            (pathlib.Path(folder) / "a.cc").touch()
            self.assertEqual(equivalents.unused_files(path, pathlib.Path(folder)),
                             {"a.cc": "because it is so"})


if __name__ == "__main__":
    unittest.main()
