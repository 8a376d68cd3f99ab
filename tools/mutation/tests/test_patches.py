import pathlib
import shutil
import tempfile
import unittest

import building
import patches


class PatchesTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("patch"), "needs the program patch")
    def test_every_patch_applies_to_the_sources_of_today(self):
        for patch in patches.chosen([]):
            with self.subTest(patch.stem):
                patches.apply(patch, building.ROOT, "--dry-run")

    @unittest.skipUnless(shutil.which("patch"), "needs the program patch")
    def test_a_patch_is_not_applied_in_reverse(self):
        with tempfile.TemporaryDirectory() as folder:
            patch, source = pathlib.Path(folder, "x.patch"), pathlib.Path(folder, "x.cc")
            patch.write_text("--- a/x.cc\n+++ b/x.cc\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n")
            source.write_text("a\nc\nd\n")
            with self.assertRaisesRegex(building.BuildError, "the patch does not apply"):
                patches.apply(patch, folder)
            source.write_text("a\nb\nd\n")
            patches.apply(patch, folder)
            self.assertEqual(source.read_text(), "a\nc\nd\n")

    def test_a_patch_names_its_source_and_who_has_to_notice(self):
        patch = patches.FOLDER / "late_grant_kept.patch"
        target = patches.target_of(patch)
        self.assertTrue(target.startswith("src/job/"))
        self.assertEqual([command[0] for command in patches.catchers(target, 10)],
                         ["core_sim", "testing_test", "job_test"])
        self.assertEqual(patches.catchers("src/agent/agent.cc", 10)[1][0], "agent_test")

    def test_of_a_compiler_that_fails_the_first_error_is_told(self):
        said = building.BuildError("clang++-19 ... failed:\nIn file included from x.cc:1:\n"
                                   "y.cc:2:3: error: use of undeclared identifier 'z'\n"
                                   "y.cc:4:5: error: another\n")
        self.assertEqual(patches.reason_of(said),
                         "does not compile: use of undeclared identifier 'z'")
        self.assertEqual(patches.reason_of(building.BuildError("the patch does not apply: x")),
                         "the patch does not apply: x")

    def test_an_unknown_name_is_refused(self):
        with self.assertRaisesRegex(building.BuildError, "there is no sim/mutants/x.patch"):
            patches.chosen(["x"])


if __name__ == "__main__":
    unittest.main()
