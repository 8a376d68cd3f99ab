import pathlib
import tempfile
import unittest

import costs


class CostsTest(unittest.TestCase):
    def test_slow_ones_come_first_and_quick_ones_not_at_all(self):
        text = costs.text_of({"quick": 0.4, "b": 3.2, "a": 3.4, "slow": 120.6})
        self.assertEqual(text, costs.HEAD + "slow 121\na 3\nb 3\n")

    def test_what_did_not_run_keeps_its_time(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "test").mkdir()
            self.assertEqual(costs.read(folder), {})
            costs.record(folder, {"a": 5, "b": 7})
            costs.record(folder, {"b": 9})
            self.assertEqual(costs.read(folder), {"a": 5, "b": 9})
