"""What nodes say about their ends, in every order in which it can arrive."""

from muster.spark.ends import Ends


def test_an_end_heard_before_its_beginning_counts():
    ends = Ends()
    ends.ended("worker:0", 1, "it ended with exit code 7")
    ends.begun("worker:0", 1)
    assert ends.words("worker:0") == "it ended with exit code 7"
    ends.ended("worker:1", 1, None)
    ends.begun("worker:1", 1)
    assert ends.well("worker:1")
    assert ends.first_words() == "it ended with exit code 7"


def test_a_new_attempt_answers_what_the_last_one_said():
    ends = Ends()
    ends.ended("worker:0", 1, "lost")
    ends.begun("worker:0", 2)
    assert ends.words("worker:0") is None
    assert ends.first_words() is None
    ends.ended("worker:0", 2, None)
    assert ends.well("worker:0")


def test_a_late_word_of_an_earlier_attempt_changes_nothing():
    ends = Ends()
    ends.ended("worker:0", 2, None)
    ends.ended("worker:0", 1, "lost")
    ends.begun("worker:0", 1)
    assert ends.well("worker:0")
    assert ends.first_words() is None


def test_the_first_that_failed_is_told_first():
    ends = Ends()
    ends.ended("worker:1", 1, None)
    ends.ended("worker:2", 1, "out of memory")
    ends.ended("worker:0", 1, "connection reset")
    assert ends.first_words() == "out of memory"
    ends.ended("worker:2", 2, "out of memory again")
    assert ends.first_words() == "connection reset"
