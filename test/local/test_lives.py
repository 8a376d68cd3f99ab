# timeout: 300
"""A few lives under load (lives.py); `make soak` has hundreds."""

import lives
import pytest


def test_what_is_killed_and_frozen_under_load_ends_as_it_should(tmp_path):
    each = [lives.Choices.of(seed, frozen=(8, 12), seconds=(2, 8)) for seed in range(1, 9)]
    with lives.load(tmp_path, busy=2, nice=10, share=0.25):
        odd = lives.live_all(each, tmp_path)
    assert not odd, "\n".join(f"{choices}\n  " + "\n  ".join(told) for choices, told in odd)


@pytest.mark.parametrize("framework", ["generic", "pytorch"])
def test_what_replaces_a_frozen_agents_task_starts_when_that_is_gone(tmp_path, framework):
    frozen = lives.Fault(after=1, victim="agent", task=0, frozen=12)
    life, odd = lives.live(lives.SoonLost(seed=0, tasks=2, together=1, framework=framework, hosts=1,
                                          seconds=6, faults=(frozen,)), tmp_path)
    assert not odd, odd
    lives.expect_one_after_the_other(life)


def test_a_seed_replays_its_choices():
    assert lives.Choices.of(17) == lives.Choices.of(17)
    assert len({str(lives.Choices.of(seed)) for seed in range(100)}) == 100


def test_two_attempts_at_once_are_noticed(tmp_path):
    for name, times in (("worker_0_1_1_10", (1, 2, 3)), ("worker_0_1_2_11", (2.5, 4)),
                        ("worker_1_1_1_12", (1, 2)), ("worker_1_2_2_13", (3, 4)),
                        ("worker_2_1_1_14", (1, 5)), ("worker_2_2_2_15", (3, 4))):
        (tmp_path / name).write_text("\n".join(["/", *map(str, times), "done"]))
    attempts = [lives.Attempt(path) for path in sorted(tmp_path.iterdir())]
    (told,) = lives.twins(attempts)
    assert told.startswith("worker:0: attempt 2") and told.endswith("0.50 s"), told
    (told,) = lives.twins(attempts, of_one_generation=False)
    assert told.startswith("worker:2: attempt 2 of generation 2"), told


def test_an_end_without_a_cause_is_noticed():
    facts = [{"index": 1, "fact": "attempt-ended", "text": "worker:0#1 code 1 (user.exit)"},
             {"index": 2, "fact": "attempt-ended", "text": "worker:0#2 code 7"}]
    assert [text.split()[3] for text in lives.causes(facts)] == ["2:"]
