import shutil
import subprocess
import unittest

import building
import patches


class PatchesTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("patch"), "needs the program patch")
    def test_every_patch_applies_to_the_sources_of_today(self):
        for patch in patches.chosen([]):
            with self.subTest(patch.stem):
                done = subprocess.run(
                    ["patch", "--dry-run", "--batch", "-F", "2", "-p1", "-i", patch],
                    cwd=building.ROOT, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_patch_names_its_source_and_who_has_to_notice(self):
        patch = patches.FOLDER / "late_grant_kept.patch"
        target = patches.target_of(patch)
        self.assertTrue(target.startswith("src/job/"))
        self.assertEqual([command[0] for command in patches.catchers(target, 10)],
                         ["core_sim", "testing_test", "job_test"])
        self.assertEqual(patches.catchers("src/agent/agent.cc", 10)[1][0], "agent_test")

    def test_an_unknown_name_is_refused(self):
        with self.assertRaisesRegex(building.BuildError, "there is no sim/mutants/x.patch"):
            patches.chosen(["x"])


if __name__ == "__main__":
    unittest.main()
