"""TensorBoard beside a job, on its page and after its end, in a real browser."""
# timeout: 900

import os
import re
import signal

import browser as browsers
import harness
import pytest
from curves import CURVES, programs, sees_curves

LINK = r"page:\s+(http://127\.0\.0\.1:\d+/#t=[0-9a-f]{64})"


@pytest.fixture(scope="module")
def python():
    """The interpreter of an environment that has TensorBoard."""
    return programs() / "python3"


def board_of(browser):
    browser.sees("#endpoints", "tensorboard")
    return browser.run("return document.querySelector('#endpoints a').href")


def test_curves_are_behind_the_job_s_link(muster, gate, browser, python):
    muster.write("curves.py", CURVES)
    running = muster.start("run", muster.spec({
        "command": f"{python} curves.py logs && echo port $MUSTER_PORT_TENSORBOARD && {gate.wait}",
        "files": ["curves.py"], "tasks": 2, "tensorboard": {"logdir": "logs"}}))
    link = running.sees(LINK).group(1)
    browser.open(link)
    sees_curves(browser, board_of(browser))
    # Nobody gets there any other way.
    site = link.split("/#t=")[0]
    assert browsers.fetch(f"{site}/tensorboard/")[0] == 401
    port = running.sees(r"^(?:worker:0 \| )?port (\d+)").group(1)
    status, _, text = browsers.fetch(f"http://127.0.0.1:{port}/")
    assert (status, "accuracy" in text) == (404, False)
    assert not [line for line in muster.processes().values()
                if "path_prefix" in line and re.search("[0-9a-f]{64}", line)]
    assert "tensorboard: on the job's page" in muster("status", "last").expect(0).out
    assert "the job's page links to its TensorBoard" in muster("tensorboard", "last").expect(0).out
    gate.open()
    running.wait().expect(0)
    # Afterwards.
    environment = {"PATH": f"{python.parent}:{os.environ['PATH']}"}
    after = muster.start("tensorboard", "last", env=environment)
    sees_curves(browser, after.sees(r"(http://\S+:\d+)/ \(Press").group(1))
    after.signal(signal.SIGTERM)
    after.process.wait(harness.PATIENCE)


def test_a_job_goes_on_without_it(muster, gate):
    running = muster.start("run", muster.spec({
        "command": f"/usr/bin/python3 -c pass; {gate.wait}", "tasks": 1,
        "tensorboard": {"logdir": "logs"}}))
    running.sees("TensorBoard has ended .*has no TensorBoard.*; the job continues")
    gate.open()
    running.wait().expect(0)
    muster("tensorboard", "last").expect_error(2, "there is no folder")


def test_without_a_program_to_show_them_one_message_says_so(muster):
    muster.run_shell("true").expect(0)
    muster("tensorboard", "last").expect_error(2, "tensorboard is not on PATH")
    muster("tensorboard", "last", "--logdir", "nowhere").expect_error(2, "there is no folder")
    muster("tensorboard", "last", "--logdir", "s3://a/b").expect_error(2, "hdfs://", "--logdir")
