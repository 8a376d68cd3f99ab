"""The table says what was measured, and does not call met what was not."""

import json
import unittest

import table


def row(samples, **options):
    return table.Row("key", "what", "ms", samples, "muster run", **options)


class Verdicts(unittest.TestCase):
    def test_at_most_and_at_least(self):
        self.assertTrue(row([5, 7, 60], limit=10).met)
        self.assertFalse(row([5, 11, 60], limit=10).met)
        self.assertTrue(row([99.2], limit=99, at_least=True).met)
        self.assertFalse(row([98.9], limit=99, at_least=True).met)

    def test_without_samples_or_limit_there_is_none(self):
        self.assertIsNone(row([], limit=10).met)
        self.assertIsNone(row([5]).met)
        self.assertIn("not measured", table.text_of([row([], limit=10)]))


class Texts(unittest.TestCase):
    def test_shows_median_spread_and_peers(self):
        text = table.text_of([row([10, 20, 30], limit=25, peers={"script": [5.0], "none": []})])
        self.assertIn("20.0 (10.0..30.0) ms", text)
        self.assertIn("script 5.00 (x 0.25)", text)
        self.assertNotIn("none", text)
        self.assertIn("met", text)

    def test_a_zero_is_no_divisor(self):
        self.assertIn("script 5.00", table.text_of([row([0], peers={"script": [5.0]})]))

    def test_json_has_the_same(self):
        document = json.loads(json.dumps(row([1, 2], limit=3).as_json()))
        self.assertEqual((document["median"], document["met"], document["count"]), (1.5, True, 2))


if __name__ == "__main__":
    unittest.main()
