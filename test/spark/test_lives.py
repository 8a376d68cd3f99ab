"""A few lives under load on Spark (spark_lives.py); `make soak` has more."""
# timeout: 600

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "local"))

import lives  # noqa: E402
import spark_lives  # noqa: E402

TOGETHER = 2


def test_what_is_killed_and_frozen_under_load_ends_as_it_should(tmp_path):
    each = [spark_lives.Choices.of(seed, victims=spark_lives.VICTIMS, frozen=(8, 12),
                                   seconds=(5, 10), tasks=(1, 2)) for seed in range(1, 4)]
    with (spark_lives.cluster(tmp_path, TOGETHER) as place,
          lives.load(tmp_path, busy=1, nice=10, share=0.25)):
        odd = lives.live_all(each, tmp_path, place, TOGETHER)
    assert not odd, "\n".join(f"{choices}\n  " + "\n  ".join(told) for choices, told in odd)
