"""The rows of the feed's section, of figures that were not measured here."""

import unittest

import spark_feed


class Rates(unittest.TestCase):
    def test_the_limit_is_a_share_of_what_spark_alone_delivers(self):
        ours = {("rdd lists", "13 floats"): [90.0], ("spark for rdd lists", "13 floats"): [100.0],
                ("rdd columns", "13 floats"): [70.0], ("spark for rdd columns", "13 floats"): [100]}
        rows = {row.what: row for row in spark_feed.rows_of(ours, {})}
        self.assertTrue(rows["Spark: 13 floats, next_batch"].met)
        self.assertFalse(rows["Spark: 13 floats, columns"].met)
        self.assertIn("70 % of Spark alone", rows["Spark: 13 floats, columns"].note)

    def test_what_was_not_measured_has_no_verdict(self):
        self.assertEqual({row.met for row in spark_feed.rows_of({}, {})}, {None})


if __name__ == "__main__":
    unittest.main()
