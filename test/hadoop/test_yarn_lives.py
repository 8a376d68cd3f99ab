"""A few lives under load on YARN (test/local/lives.py); `make soak` has more."""
# bed: plain
# timeout: 600

import lives
import pytest
import yarn_lives


def test_what_is_killed_and_frozen_under_load_ends_as_it_should(bed, tmp_path):
    each = [lives.Choices.of(seed, frozen=(8, 12), seconds=(5, 15)) for seed in range(1, 5)]
    with yarn_lives.on_bed(bed) as place, lives.load(tmp_path, busy=1, nice=10, share=0.25):
        odd = lives.live_all(each, tmp_path, place)
    assert not odd, "\n".join(f"{choices}\n  " + "\n  ".join(told) for choices, told in odd)


@pytest.mark.parametrize("framework", ["generic", "pytorch"])
def test_what_replaces_a_frozen_agents_task_starts_when_that_is_gone(bed, tmp_path, framework):
    frozen = lives.Fault(after=1, victim="agent", task=0, frozen=30)
    choices = lives.SoonLost(seed=0, tasks=2, together=1, framework=framework, hosts=1, seconds=12,
                             faults=(frozen,))
    with yarn_lives.on_bed(bed, suffers=False) as place:
        life, odd = lives.live(choices, tmp_path, place)
    assert not odd, odd
    lives.expect_one_after_the_other(life)
