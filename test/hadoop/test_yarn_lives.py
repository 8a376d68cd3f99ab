"""A few lives under load on YARN (test/local/lives.py); `make soak` has more."""
# bed: plain
# timeout: 600

import lives
import yarn_lives


def test_what_is_killed_and_frozen_under_load_ends_as_it_should(bed, tmp_path):
    each = [lives.Choices.of(seed, frozen=(8, 12), seconds=(5, 15)) for seed in range(1, 5)]
    with yarn_lives.on_bed(bed) as place, lives.load(tmp_path, busy=1, nice=10):
        odd = lives.live_all(each, tmp_path, place)
    assert not odd, "\n".join(f"{choices}\n  " + "\n  ".join(told) for choices, told in odd)
