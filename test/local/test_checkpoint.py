"""Checkpoints: one folder per job and host, mirrored when complete, restored before a start."""

RESTART = {"backoff": "10ms..20ms"}

# Writes step N of a checkpoint in the way torch users do; fails on its first attempt.
TRAIN = """
import os, sys
folder = os.environ["MUSTER_CHECKPOINT_DIR"]
path = os.path.join(folder, "model.pt")
step = int(open(path).read()) if os.path.exists(path) else 0
print("resumed from" if step else "starting at", step, flush=True)
for step in range(step + 1, 11):
    with open(path + ".part", "w") as part:
        part.write(str(step))
    os.replace(path + ".part", path)
    if step == 5 and os.environ["MUSTER_RESTARTS"] == "0":
        sys.exit(9)
print("finished at", step, flush=True)
"""


def train(muster, *arguments, **spec):
    muster.write("train.py", TRAIN)
    return muster.run({"framework": "pytorch", "command": "exec python3 train.py", "tasks": 1,
                       "files": ["train.py"], "restart": RESTART, **spec}, *arguments)


def test_a_restart_in_place_resumes(muster):
    done = train(muster).expect(0)
    assert done.lines("starting at 0$") and done.lines("resumed from 5$")
    assert done.lines("finished at 10$")


def test_the_folder_exists_and_can_be_written(muster):
    muster.run_shell('cd "$MUSTER_CHECKPOINT_DIR" && touch x').expect(0)


def test_the_folder_has_the_name_of_the_specification(muster):
    done = muster.run_shell('echo "in $MUSTER_CHECKPOINT_DIR"; test -d "$MUSTER_CHECKPOINT_DIR"',
                            checkpoint={"dir": "state"}).expect(0)
    (line,) = done.lines(r"in /\S+$")
    assert line.endswith("/state")


def test_the_chiefs_checkpoints_count_or_those_of_each(muster):
    command = 'cd "$MUSTER_CHECKPOINT_DIR" && echo $MUSTER_INDEX > weights && touch DONE'
    kept = {}
    for by in ("chief", "each"):
        saved = muster.folder / by
        muster.run({"command": command, "tasks": 2, "local": {"hosts": 2},
                    "checkpoint": {"to": str(saved), "by": by}}).expect(0)
        kept[by] = sorted(path.read_text() for path in saved.rglob("weights"))
    assert kept == {"chief": ["0\n"], "each": ["0\n", "1\n"]}


def test_a_restart_on_another_host_finds_the_mirrored_checkpoint(muster):
    done = train(muster, restart={"process": 0, "container": 0, "host": 1, **RESTART},
                 local={"hosts": 2}, checkpoint={"to": "saved"}).expect(0)
    assert done.lines("resumed from [1-5]$")


def test_the_mirror_keeps_the_last_complete_ones(muster):
    train(muster, checkpoint={"to": str(muster.folder / "saved"), "keep": 2}).expect(0)
    copies = list((muster.folder / "saved").rglob("model.pt"))
    assert 1 <= len(copies) <= 2
    assert "10" in {path.read_text() for path in copies}


def test_the_next_job_starts_anew_unless_it_says_always(muster):
    saved = {"to": str(muster.folder / "saved")}
    train(muster, checkpoint=saved).expect(0)
    assert train(muster, checkpoint=saved).expect(0).lines("starting at 0$")
    done = train(muster, checkpoint={**saved, "resume": "always"}).expect(0)
    assert done.lines("resumed from 10$")


def test_resume_never_starts_from_nothing(muster):
    done = train(muster, checkpoint={"resume": "never"}).expect(0)
    assert len(done.lines("starting at 0$")) == 2


def test_a_half_written_one_is_never_mirrored(muster):
    muster.write("train.py", """
import os, time
folder = os.environ["MUSTER_CHECKPOINT_DIR"]
open(os.path.join(folder, "older.pt"), "w").write("whole")
open(os.path.join(folder, "model.pt.part"), "w").write("half")
time.sleep(1)
""")
    muster.run({"framework": "pytorch", "command": "exec python3 train.py", "tasks": 1,
                "files": ["train.py"], "checkpoint": {"to": str(muster.folder / "saved")}}
               ).expect(0)
    saved = muster.folder / "saved"
    kept = [path.read_text() for path in saved.rglob("*") if path.is_file()]
    assert "whole" in kept and "half" not in kept


def test_an_explicit_commit(muster):
    command = ('cd "$MUSTER_CHECKPOINT_DIR" && echo one > weights && touch DONE && sleep 1')
    muster.run_shell(command, checkpoint={"to": str(muster.folder / "saved")}).expect(0)
    assert [path.read_text() for path in (muster.folder / "saved").rglob("weights")] == ["one\n"]


def test_hdfs_without_a_configuration_is_refused_before_anything_starts(muster):
    job = {"command": "true", "tasks": 1, "checkpoint": {"to": "hdfs:///ckpt/digits"}}
    (muster.folder / "conf").mkdir()
    for verb in ("run", "submit", "plan"):
        muster(verb, muster.spec(job), env={"HADOOP_CONF_DIR": str(muster.folder / "conf")}
               ).expect_error(2, "checkpoint.to: hdfs:///ckpt/digits", "no Hadoop configuration",
                              "HADOOP_CONF_DIR")
    job["checkpoint"]["to"] = "s3://bucket/ckpt"
    muster.run(job).expect_error(2, "checkpoint.to: s3://bucket/ckpt")
    assert muster.jobs() == []
