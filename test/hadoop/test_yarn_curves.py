"""TensorBoard of a job on YARN, while it runs and after; no version of Hadoop differs in it."""
# bed: yarn
# timeout: 600

import signal
import subprocess

import browser as browsers
import curves
import pytest
from waiting import until
from yarn_jobs import RUN_LIMIT, running_job, status_of


@pytest.fixture
def bed(yarn_bed):
    """Not the plain bed, for which most files wait (cmake/programs.cmake)."""
    return yarn_bed


def test_curves_are_shown_through_the_resource_manager_s_proxy(yarn, bed):
    tools = curves.programs()
    yarn.write("curves.py", curves.CURVES)
    subprocess.run([tools / "python3", "curves.py", "logs"], cwd=yarn.folder, check=True,
                   capture_output=True)
    status = running_job(yarn, tasks=1, files=["logs"], python={"interpreter": f"{tools}/python3"},
                         tensorboard={"logdir": "logs"})
    until(lambda: "tensorboard" in status_of(yarn).get("endpoints", {}), 120, "TensorBoard runs")
    board = status["page"] + status_of(yarn)["endpoints"]["tensorboard"]
    window = browsers.Browser()
    try:
        window.open(status["page"])
        window.sees("#endpoints", "tensorboard")
        assert window.run("return document.querySelector('#endpoints a').href") == board
        curves.sees_curves(window, board)
    finally:
        window.close()
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    # Afterwards the container's folder is gone, but what is in HDFS is not.
    yarn("tensorboard", "last").expect_error(2, "its cluster has removed", "checkpoint.to")
    yarn("fs", "put", yarn.folder / "logs", bed.uri("/user/alice/logs")).expect(0)
    after = yarn.start("tensorboard", "last", "--logdir", bed.uri("/user/alice/logs"),
                       env={"PATH": f"{tools}:/usr/bin:/bin"})
    served = after.sees(r"(http://\S+:\d+/) \(Press").group(1)
    until(lambda: "accuracy_of_the_test" in
          browsers.fetch(served + "data/plugin/scalars/tags")[2], 120, "the curves are read")
    after.signal(signal.SIGTERM)
    after.process.wait(RUN_LIMIT)
