"""Tests against real Hadoop daemons, of every version that tools/hadoop knows.

A test takes one of the fixtures `bed`, `ha_bed`, `kerberos_bed`, `yarn_bed`, and runs once per
version. Beds are shared: whatever a test kills or freezes is brought back afterwards; whatever it
stores goes under `hdfs_folder`. A file uses one kind of bed and names it in a line of its own,
`# bed: ha`, for ctest, which starts each bed once for all files; without the line it is `plain`.
"""

import contextlib
import itertools
import os
import pathlib
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tools" / "hadoop"), str(REPOSITORY / "test" / "local"),
                str(REPOSITORY / "test" / "web"), str(REPOSITORY / "test" / "hadoop")]

import artifacts  # noqa: E402
import harness  # noqa: E402
from bed import Bed  # noqa: E402
from sleeper import Sleeper  # noqa: E402
from waiting import until  # noqa: E402
from yarn_jobs import processes_in  # noqa: E402

NUMBERS = itertools.count(1)


def pytest_addoption(parser):
    parser.addoption("--hadoop", action="append", choices=artifacts.VERSIONS, metavar="VERSION",
                     help=f"run on these Hadoop versions: {', '.join(artifacts.VERSIONS)}")
    parser.addoption("--lent", action="store_true",
                     help="start no bed: those of $MUSTER_HADOOP_BEDS must do")


def pytest_generate_tests(metafunc):
    if "hadoop_version" in metafunc.fixturenames:
        versions = metafunc.config.getoption("hadoop", None) or artifacts.VERSIONS
        metafunc.parametrize("hadoop_version", versions, scope="session")


class Beds:
    """The beds of this run: those that somebody started for us, or else our own, of one version."""

    def __init__(self, only_lent):
        self.only_lent = only_lent
        self.own = {}
        self.theirs = {}
        self.links = os.environ.get("MUSTER_HADOOP_BEDS")

    def get(self, version, variant):
        key = version, variant
        if self.links and key not in self.theirs:
            link = pathlib.Path(self.links) / f"{variant}-{version}"
            if link.is_symlink():
                assert (link / "control").exists(), f"the bed {link} has ended"
                self.theirs[key] = Bed.attach(link.resolve())
        if key in self.theirs:
            return self.theirs[key]
        assert not self.only_lent, f"no bed {variant}-{version} is up in {self.links}"
        if key not in self.own:
            self.end([other for other in self.own if other[0] != version])
            self.own[key] = Bed.start(version, variant)
        return self.own[key]

    def end(self, keys=None):
        for key in list(self.own if keys is None else keys):
            self.own.pop(key).end()


@pytest.fixture(scope="session")
def beds(request):
    beds = Beds(request.config.getoption("lent", False))
    yield beds
    beds.end()


def lend(request, beds, version, variant):
    bed = beds.get(version, variant)
    request.node.bed, request.node.bed_logs = bed, bed.log_sizes()
    yield bed
    bed.restore()


@pytest.fixture
def bed(request, beds, hadoop_version):
    """One master of each kind, 2 DataNodes, 2 NodeManagers, no security."""
    yield from lend(request, beds, hadoop_version, "plain")


@pytest.fixture
def ha_bed(request, beds, hadoop_version):
    """Two NameNodes and two ResourceManagers; `bed.activate("nn2")` fails over."""
    yield from lend(request, beds, hadoop_version, "ha")


@pytest.fixture
def kerberos_bed(request, beds, hadoop_version):
    """A realm of its own; daemons that accept every quality of protection."""
    yield from lend(request, beds, hadoop_version, "kerberos")


@pytest.fixture
def yarn_bed(request, beds, hadoop_version):
    """3 NodeManagers, which ask an nvidia-smi for their GPUs, and one of every other daemon."""
    yield from lend(request, beds, hadoop_version, "yarn")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if report.failed and hasattr(item, "bed"):
        tails = item.bed.log_tails(since=item.bed_logs)
        report.sections.append((f"what the daemons in {item.bed.folder} logged", tails))


@pytest.fixture
def hdfs_folder(request):
    """The path of a folder in HDFS that no other test uses; it does not exist yet."""
    name = request.node.name.split("[")[0]
    return f"/test/{name}-{os.getpid()}-{next(NUMBERS)}"


@pytest.fixture
def sleeper():
    """`sleeper(bed)` runs an application that sleeps; it is killed after the test."""
    sleeper = Sleeper()
    yield sleeper
    sleeper.end()


@pytest.fixture
def muster(tmp_path):
    """The program with its own MUSTER_HOME; `muster.use(bed)` points it to a bed."""
    program = HadoopMuster(tmp_path)
    yield program
    try:
        program.expect_nothing_left()
    finally:
        program.end_everything()


def as_alice(muster, bed):
    """The program as alice, who has a home in HDFS; her applications are killed after the test."""
    bed.shell("fs", "-mkdir", "-p", "/user/alice").expect()
    # Whoever made /user first, perhaps as the parent of a private folder, has shut everybody else
    # out.
    bed.shell("fs", "-chmod", "755", "/user").expect()
    bed.shell("fs", "-chown", "alice", "/user/alice").expect()
    muster.use(bed)
    muster.environment["HADOOP_USER_NAME"] = "alice"
    yield muster
    active = bed.the_active("rm")
    applications = bed.get(f"{active}.http", "/ws/v1/cluster/apps?user=alice")["apps"] or {}
    for job in applications.get("app", []):
        if job["state"] in ("ACCEPTED", "RUNNING"):
            bed.shell("application", "-kill", job["id"])
    until(lambda: not processes_in(bed, "muster agent"), 60, "no agent is left on the bed")


@pytest.fixture
def yarn(muster, bed):
    """The program as a user of the plain bed."""
    yield from as_alice(muster, bed)


@pytest.fixture
def yarn_with_pairs(muster, ha_bed):
    """The program as a user of the bed that has pairs of masters."""
    yield from as_alice(muster, ha_bed)


@pytest.fixture
def yarn_with_gpus(muster, yarn_bed):
    """The program as a user of the bed whose nodes find GPUs."""
    yield from as_alice(muster, yarn_bed)


@pytest.fixture(scope="session")
def python():
    """The Python of an environment with JupyterLab."""
    made = subprocess.run([harness.REPOSITORY / "tools/setup_python", "jupyter"], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=600)
    return pathlib.Path(made.stdout.strip()) / "bin" / "python3"


class HadoopMuster(harness.Muster):
    def __init__(self, folder):
        super().__init__(folder)
        for name in [name for name in self.environment if name.startswith(("HADOOP_", "KRB5"))]:
            del self.environment[name]
        # Retention would be one more process beside each test's own processes.
        self.home.mkdir(exist_ok=True)
        (self.home / "config.yaml").write_text("cleaning: {older: none}\n")

    def use(self, bed):
        """Gives the program the bed's configuration, as a user would; returns itself."""
        self.environment["HADOOP_CONF_DIR"] = str(bed.conf)
        self.environment.update({name: bed.environment[name] for name in bed.extra_environment})
        return self


@contextlib.contextmanager
def other_place(folder, bed, user="alice"):
    """The program as somebody on another host, which has the bed's configuration and nothing
    else."""
    folder.mkdir()
    program = HadoopMuster(folder).use(bed)
    program.environment["HADOOP_USER_NAME"] = user
    yield program
    program.end_everything()


@pytest.fixture
def elsewhere(tmp_path, bed):
    """The program as alice on another host."""
    with other_place(tmp_path / "elsewhere", bed) as program:
        yield program
