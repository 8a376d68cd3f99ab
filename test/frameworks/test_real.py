"""Each framework with its real package: the template that `muster init` writes learns what it
should. The packages are large, so this is not part of `make test`: tools/pytest test/frameworks"""

import os
import re
import shutil
import signal
import stat
import subprocess

import harness
import pytest

LIMIT = 600


@pytest.fixture(scope="module")
def venv():
    """Returns a function from the environment's name to its folder; makes it when missing."""
    def make(name):
        done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", name],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    return make


def path_of(folder):
    return {"PATH": f"{folder}/bin:{os.environ['PATH']}"}


def init(muster, template):
    muster("init", template, template).expect(0)
    return muster.folder / template / "job.yaml"


def run(muster, template, env, *arguments):
    return muster("run", init(muster, template), *arguments, env=env, within=LIMIT).expect(0)


def test_horovod(muster, venv):
    env = path_of(venv("horovod"))
    done = run(muster, "horovod", env)
    assert done.lines(r"2 ranks learned y = 3\.00 x \+ -1\.00")
    four = muster("run", muster.folder / "horovod" / "job.yaml", "--set", "roles.worker.tasks=4",
                  "--set", "roles.worker.tasks_per_container=2", "--set", "roles.worker.memory=1g",
                  env=env, within=LIMIT).expect(0)
    assert four.lines(r"4 ranks learned y = 3\.00 x \+ -1\.00")


LOSES_A_RANK = """
import os, signal
import horovod.tensorflow as hvd
import tensorflow as tf
hvd.init()
first = os.environ["MUSTER_GENERATION"] == "1"
for step in range(20):
    if first and step == 5 and hvd.rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    total = hvd.allreduce(tf.constant(1.0), op=hvd.Sum)
if hvd.rank() == 0:
    print(f"sum {total.numpy():.0f} in generation {os.environ['MUSTER_GENERATION']}", flush=True)
"""


def test_horovod_starts_again_when_a_rank_is_lost(muster, venv):
    muster.write("train.py", LOSES_A_RANK)
    done = muster.run({"framework": "horovod", "command": "exec python3 train.py",
                       "files": ["train.py"], "tasks": 2, "restart": {"backoff": "10ms..10ms"}},
                      env=path_of(venv("horovod")), within=LIMIT).expect(0)
    assert done.lines("sum 2 in generation 2")


MEETS_AGAIN = """
import horovod.tensorflow as hvd
import tensorflow as tf
for turn in range(5):
    hvd.init()
    total = hvd.allreduce(tf.constant(1.0 + hvd.rank()), op=hvd.Sum)
    hvd.shutdown()
hvd.init()
for turn in range(5):
    two = hvd.add_process_set([0, 1])
    if two.included():
        part = hvd.allreduce(tf.constant(1.0 + hvd.rank()), op=hvd.Sum, process_set=two)
    hvd.remove_process_set(two)
if hvd.rank() == 0:
    print(f"sums {total.numpy():.0f} and {part.numpy():.0f}", flush=True)
"""


def test_horovods_ranks_meet_again(muster, venv):
    """With hvd.init() after hvd.shutdown(), and in a process set that existed before."""
    muster.write("train.py", MEETS_AGAIN)
    done = muster.run({"framework": "horovod", "command": "exec python3 train.py",
                       "files": ["train.py"], "tasks": 3,
                       "env": {"HOROVOD_DYNAMIC_PROCESS_SETS": "1"}},
                      env=path_of(venv("horovod")), within=LIMIT).expect(0)
    assert done.lines("sums 6 and 3")


def test_horovod_through_tonys_flags(muster, venv):
    """TonY's own example is run with these flags; its driver is Muster's rendezvous."""
    source = init(muster, "horovod").parent / "train.py"
    folder = muster.folder / "src"
    folder.mkdir()
    shutil.copy(source, folder)
    done = muster("tony", "--on", "local", "-executes", "python3 train.py", "-src_dir", folder,
                  "-conf", "tony.application.framework=horovod",
                  "-conf", "tony.worker.instances=2", "-conf", "tony.worker.memory=2g",
                  env=path_of(venv("horovod")), within=LIMIT).expect(0)
    assert done.lines(r"2 ranks learned y = 3\.00 x \+ -1\.00")


# Like the template, plus what a test must see: one rank ends itself once; the others continue
# without it until they have taken in its replacement.
LOSES_AND_GAINS = """
import os, signal
import horovod.tensorflow as hvd
import tensorflow as tf
hvd.init()
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
optimizer = tf.keras.optimizers.legacy.SGD(0.3)
optimizer.apply_gradients([(tf.zeros_like(one), one) for one in model.trainable_variables])
first = os.environ["MUSTER_ATTEMPT"] == "1"
victim = os.environ["MUSTER_INDEX"] == os.environ["VICTIM"]

@hvd.elastic.run
def train(state):
    print("begins at", state.step, "of", hvd.size(), "rank", hvd.rank(), flush=True)
    if state.sizes[-1:] != [hvd.size()]:
        state.sizes = state.sizes + [hvd.size()]
    x = tf.reshape(tf.linspace(-1.0, 1.0, 510)[hvd.rank()::hvd.size()], (-1, 1))
    y = 3.0 * x - 1.0
    while state.step < 60 or state.sizes[-3:] != [3, 2, 3]:
        if first and victim and state.step > 20 and hvd.size() == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        with hvd.DistributedGradientTape(tf.GradientTape()) as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        state.step += 1
        state.commit()

state = hvd.elastic.TensorFlowKerasState(model, optimizer, step=0, sizes=[])
train(state)
slope, offset = (variable.numpy().item() for variable in model.trainable_variables)
print("rank", hvd.rank(), "of", hvd.size(), "after", state.sizes,
      f"y = {slope:.2f} x + {offset:.2f}", flush=True)
"""


@pytest.mark.parametrize("victim", [1, 0], ids=["another rank", "rank 0"])
def test_horovods_elastic_ranks_go_on_and_take_in_a_replacement(muster, venv, victim):
    muster.write("train.py", LOSES_AND_GAINS)
    # Horovod's ranks notice the loss within its timeout, and before the replacement comes.
    done = muster.run({"framework": "horovod-elastic", "command": "exec python3 train.py",
                       "files": ["train.py"],
                       "env": {"VICTIM": str(victim), "HOROVOD_GLOO_TIMEOUT_SECONDS": "15"},
                       "restart": {"backoff": "45s..45s"},
                       "roles": {"worker": {"min": 2, "max": 3, "membership": "elastic"}}},
                      env=path_of(venv("horovod")), within=LIMIT).expect(0)
    learned = r"rank \d of 3 after \[.*3, 2, 3\] y = 3\.00 x \+ -1\.00"
    assert len(done.lines(learned)) == 3, done.text
    # The newcomer took over the state of the others, and nobody went back to the beginning.
    assert all(int(re.search(r"at (\d+)", line)[1]) >= 20 for line in
               done.lines(rf"worker:{victim} \| begins at")[1:]), done.text
    others = {f"worker:{index}" for index in range(3)} - {f"worker:{victim}"}
    rounds = [line.split(": ", 2)[2].split(", ") for line in done.lines(r"round \d+: \d ranks: ")]
    assert any(set(one) == others for one in rounds), rounds
    assert rounds[-1][-1] == f"worker:{victim}", rounds


def test_horovod_elastic_template(muster, venv):
    done = run(muster, "horovod-elastic", path_of(venv("horovod")), "--set",
               "roles.worker.memory=1g")
    assert done.lines(r"[234] ranks learned y = 3\.00 x \+ -1\.00")


def test_mxnet(muster, venv):
    assert run(muster, "mxnet", path_of(venv("mxnet"))).lines(
        r"2 workers learned y = 3\.00 x \+ -1\.00")


def test_xgboost(muster, venv):
    assert run(muster, "xgboost", path_of(venv("frameworks"))).lines(
        r"2 workers learned 2\.00 below the step and 5\.00 above it")


def test_dask(muster, venv):
    assert run(muster, "dask", path_of(venv("frameworks"))).lines(
        r"2 workers learned y = 3\.00 x \+ -1\.00")


def test_ray(muster, venv):
    assert run(muster, "ray", path_of(venv("frameworks"))).lines(
        r"2 workers learned y = 3\.00 x \+ -1\.00")
    # Ray opens the folder of its sockets to everybody, so it must not be one of the host's.
    assert stat.S_IMODE(os.stat("/tmp").st_mode) == 0o1777


REPLACED = """
import os, time
import ray
ray.init()

@ray.remote(max_retries=-1)
def pid_of_my_raylet():
    return os.getppid()

def workers():
    return {node["NodeID"] for node in ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU")}

while len(workers()) < 1:
    time.sleep(0.2)
before = workers()
print("kill", ray.get(pid_of_my_raylet.remote()), flush=True)
while before & workers() or not workers():
    time.sleep(0.2)
answer = None
while answer is None:
    try:
        answer = ray.get(pid_of_my_raylet.remote())
    except ray.exceptions.RayError:  # Of a lease on the node that is gone.
        time.sleep(0.2)
print("replaced", answer > 0, flush=True)
"""


def test_a_lost_worker_of_ray_is_replaced(muster, venv):
    muster.write("train.py", REPLACED)
    spec = muster.spec({"framework": "ray", "command": "exec python3 train.py",
                        "files": ["train.py"], "restart": {"backoff": "10ms..10ms"},
                        "roles": {"driver": {"tasks": 1}, "worker": {"tasks": 1, "vcores": 1}}})
    running = muster.start("run", spec, env=path_of(venv("frameworks")))
    os.kill(int(running.sees(r"kill (\d+)", LIMIT)[1]), signal.SIGKILL)
    assert running.wait(LIMIT).expect(0).lines("replaced True")


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="Open MPI is not installed")
def test_mpi(muster):
    env = {"PATH": "/usr/bin:/bin"}
    assert run(muster, "mpi", env).lines(r"2 ranks learned y = 3\.00 x \+ -1\.00")
    job = muster.folder / "mpi" / "job.yaml"
    show = ("mpirun sh -c 'echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE "
            "in $MUSTER_ROLE-$MUSTER_INDEX, $PWD'")
    done = muster("run", job, "--set", f"command={show}", "--set", "env.MPI_SLOTS=2",
                  "--set", "roles.worker.tasks=2", env=env, within=LIMIT).expect(0)
    for rank, worker in enumerate((0, 0, 1, 1)):
        place = rf"rank {rank} of 4 in worker-{worker}, .*/worker-{worker}\.1$"
        assert done.lines(place), done.text
    muster("run", job, "--set", "command=mpirun sh -c 'exit 3'", "--set", "restart.process=0",
           "--exit-code-from", "launcher", env=env, within=LIMIT).expect(3)


@pytest.mark.skipif(shutil.which("mpicc") is None, reason="Open MPI's compiler is not installed")
def test_a_compiled_program_of_mpi(muster):
    source = muster.write("sum.c", """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank += 1;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 1) printf("%d ranks, sum %d\\n", size, sum);
  MPI_Finalize();
  return 0;
}
""")
    subprocess.run(["mpicc", "-o", muster.folder / "sum", source], check=True)
    done = muster.run({"framework": "mpi", "command": "mpirun sh -c 'exec ./sum'", "files": ["sum"],
                       "roles": {"worker": {"tasks": 3}}},
                      env={"PATH": "/usr/bin:/bin"}, within=LIMIT).expect(0)
    assert done.lines("3 ranks, sum 6")
