# timeout: 300
"""The full text that people read when something goes wrong. A change here is a change in what users
see: look at the new text as they will, then freeze it.
"""

import re

import pytest

ONCE = {"process": 0, "container": 0, "host": 0}


def frozen(muster, text):
    """Removes what differs from run to run."""
    text = text.replace(str(muster.home), "HOME").replace(str(muster.folder), "FOLDER")
    text = re.sub(r"\bjob-[a-z0-9]{6}\b", "JOB", text).replace("HOME/jobs/JOB/work", "WORK")
    return re.sub(r"\b\d+(\.\d+)? (GiB|TiB|cores?)\b", "N", text)


# name → (spec, the whole of standard error of `muster run --quiet`)
PROGRAMS = {
    "exit 3": ({"command": "echo about to; exit 3"}, """\
JOB failed: worker:0 ended with exit code 3 (user.exit); no restarts left
  first cause worker:0, attempt 1 on h1
  ended by    exit code 3
  class       user.exit: the program ended with an error exit code and no reason that Muster \
recognizes
  last words  about to
  what to do  see the log: only the program knows what its exit code means; `rules` in the \
specification can give it a class
  log         HOME/jobs/JOB/logs/worker-0.1.stdout
"""),
    "exit 137": ({"command": "exit 137"}, """\
JOB failed: worker:0 ended with exit code 137 (program.killed); no restarts left
  first cause worker:0, attempt 1 on h1
  ended by    exit code 137, as a shell reports SIGKILL (9)
  class       program.killed: killed from outside (SIGKILL)
  what to do  usually the kernel's out-of-memory killer (see dmesg), otherwise a person: ask for \
more `memory` or use less
  log         HOME/jobs/JOB/logs
"""),
    "segv": ({"command": "exec /bin/sh -c 'kill -SEGV $$'"}, """\
JOB failed: worker:0 ended by signal 11 (program.segfault); no restarts left
  first cause worker:0, attempt 1 on h1
  ended by    signal SIGSEGV (11)
  class       program.segfault: invalid memory access (SIGSEGV)
  what to do  a native library crashed; PYTHONFAULTHANDLER=1 shows the Python line
  log         HOME/jobs/JOB/logs
"""),
    "not found": ({"command": "trian.py"}, """\
JOB failed: worker:0 ended with exit code 127 (user.command_not_found); trying again cannot help
  first cause worker:0, attempt 1 on h1
  ended by    exit code 127
  class       user.command_not_found: the command, or the interpreter named in its first line, \
does not exist (exit code 127)
  last words  /bin/sh: 1: trian.py: not found
  what to do  check the command's spelling and the task's PATH; a script of your own must be \
listed under `files`, and its first line must name an existing interpreter and not end in a \
carriage return
  log         HOME/jobs/JOB/logs/worker-0.1.stderr
"""),
    "not executable": ({"command": "./train.py", "files": ["train.py"]}, """\
JOB failed: worker:0 ended with exit code 126 (user.not_executable); trying again cannot help
  first cause worker:0, attempt 1 on h1
  ended by    exit code 126
  class       user.not_executable: the command exists but cannot be executed (exit code 126)
  last words  /bin/sh: 1: ./train.py: Permission denied
  what to do  chmod +x the file, or start it through its interpreter (`python3 train.py`)
  log         HOME/jobs/JOB/logs/worker-0.1.stderr
"""),
    "import": ({"command": "python3 train.py", "files": ["train.py"]}, """\
JOB failed: worker:0 ended with exit code 1 (user.import); trying again cannot help
  first cause worker:0, attempt 1 on h1
  ended by    exit code 1
  class       user.import: a Python import failed
  last words  ModuleNotFoundError: No module named 'numpyy'
                File "WORK/worker-0.1/train.py", line 1, in <module>
                  import numpyy
  what to do  the task's Python cannot import numpyy: install it there (`python: {env: ...}` ships \
an environment), or list the file under `files`
  log         HOME/jobs/JOB/logs/worker-0.1.stderr
"""),
    "never joins": ({"command": "true", "files": ["data.tar"], "deadlines": {"join": "1s"}}, """\
JOB failed: worker:0 failed (deadline.join); no restarts left
  first cause worker:0, attempt 1 on h1
  ended by    nothing: it had not started
  class       deadline.join: the task did not join in time (`deadlines.join`)
  last words  not joined within 1.0 s
  what to do  preparing files takes the longest: archives to unpack, a checkpoint to restore, a \
slow disk; allow more time with `deadlines: {join: 15m}`
  log         HOME/jobs/JOB/logs
"""),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_a_program_that_fails(muster, name):
    muster.write("train.py", "import numpyy\n")
    muster.write("bin/tar", "#!/bin/sh\nexec sleep 1000\n", 0o755)
    muster.write("data.tar", "no archive, and nobody gets to see that\n")
    spec, words = PROGRAMS[name]
    path = muster.spec({"tasks": 1, "restart": {**ONCE, "infrastructure": 0}, **spec})
    done = muster("run", "-q", path, env={"PATH": f"{muster.folder}/bin:/usr/bin:/bin"})
    said = frozen(muster, done.err)
    # What the task itself wrote comes first.
    assert said[said.index("JOB failed"):] == words


# arguments → (exit status, the whole of standard error)
MISTAKES = {
    "run nothing.yaml": (2,
        "muster: no such file: nothing.yaml\n"),
    "run -n 2 python3 train.py": (2,
        "muster: run: unexpected argument `train.py`; the command to run comes after --, as "
        "in muster run -n 4 -- python3 train.py (see `muster run --help`)\n"),
    "run -n 1 --set roles.worker.memory=900t -- true": (6,
        "muster: worker: N of memory requested; this machine has N\n"),
    "run -n 1 --on nowhere -- true": (2,
        "muster: --on nowhere: there is no such cluster; the known clusters are local and "
        "yarn; `clusters` in a site file or the configuration names more\n"),
    "status job-zzzzzz": (2,
        "muster: no such job: JOB; `muster ps --all` lists them\n"),
    "status": (2,
        "muster: status: name a job: its id, the beginning of it, or `last`; `muster ps "
        "--all` lists them (see `muster status --help`)\n"),
    "logs last worker:7": (2,
        "muster: the job has no task worker:7: role worker has 1 task, counted from 0\n"),
    "logs last wroker": (2,
        "muster: the job has no role \"wroker\"; did you mean worker?\n"),
    "stop nobody": (2,
        "muster: no such job: nobody; `muster ps --all` lists them\n"),
    "sttaus": (2,
        "muster: there is no command `sttaus`; did you mean `muster status`?\n"),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_of_a_mistake_on_the_command_line(muster, line):
    muster.run_shell("true").expect(0)
    code, words = MISTAKES[line]
    done = muster(*line.split())
    assert (done.code, frozen(muster, done.err)) == (code, words)
