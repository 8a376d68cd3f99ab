"""TonY's classes over Muster: programs that embed them, the submitters, Azkaban's job type."""

import re
import shutil
import signal
import zipfile

import documents
import harness
import pytest
from java_programs import JAR, Java, compile_into, need_jar, rows_of, script, states_of

ONE = ("-conf", "tony.worker.instances=1", "-conf", "tony.worker.memory=64m")
TWO = ("-conf", "tony.worker.instances=2", "-conf", "tony.worker.memory=64m")
LOCAL = ("--on", "local")
CLUSTER = "com.linkedin.tony.cli.ClusterSubmitter"
CLIENT = "com.linkedin.tony.TonyClient"
AZKABAN = "com.linkedin.tony.azkaban.TonyJob"


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    return compile_into(tmp_path_factory.mktemp("programs"), "Embedding")


@pytest.fixture
def embed(muster, programs):
    """Starts Embedding, which does `deed` once all tasks are running."""
    def start(deed, *flags):
        return Java(muster, "Embedding", deed, *LOCAL, *flags, class_path=[programs])

    return start


def submit(muster, name, *flags, **options):
    need_jar()
    return Java(muster, name, *flags, **options)


def test_a_listener_hears_every_state_of_every_task(embed):
    done = embed("follow", *TWO, "-executes", "true").wait().expect(0)
    rows = rows_of(done.out)
    assert all(row.keys() == {"worker:0", "worker:1"} for row in rows), done.out
    for task in ("worker:0", "worker:1"):
        states = states_of(done.out, task)
        assert states == ["NEW", "READY", "RUNNING", "SUCCEEDED"], done.out
    assert done.out.splitlines()[-1] == "start 0"


def test_a_job_that_fails_is_told_as_in_tony(embed):
    done = embed("follow", *TWO, "-conf", "tony.application.stop-on-failure-jobtypes=worker",
                 "-executes", '[ "$TASK_INDEX" = 0 ] && exit 3; exec sleep 1000').wait().expect(0)
    assert done.out.splitlines()[-1] == "start -1"
    last = rows_of(done.out)[-1]
    assert last == {"worker:0": "FAILED", "worker:1": "FINISHED"}


@pytest.mark.parametrize("deed", ["kill", "interrupt"])
def test_a_kill_ends_the_job(muster, embed, deed):
    """Even while there is more output than anybody has read."""
    done = embed(deed, *TWO, "-executes", "yes | head -n 200000; exec sleep 1000").wait().expect(0)
    assert "start -1" in done.out.splitlines()
    if deed == "kill":
        assert rows_of(done.out)[-1] == {"worker:0": "FINISHED", "worker:1": "FINISHED"}
    assert ("killed" in done.out.splitlines()) == (deed == "kill")
    assert muster.status()["outcome"]["result"] == "stopped"


def test_a_listener_that_throws_costs_nothing_but_its_own_trace(embed, muster):
    done = embed("throw", *ONE, "-executes", "true").wait().expect(0)
    assert done.out.splitlines()[-1] == "start 0"
    assert "the listener is broken" in done.err
    assert states_of(done.out, "worker:0")[-1] == "SUCCEEDED"


def test_flags_that_are_wrong_are_an_exception_before_anything_runs(embed, muster):
    done = embed("follow", "-conf", "tony.worker.instances=two", "-executes", "true").wait()
    assert done.code == 1
    assert "Exception: -conf: error: tony.worker.instances: must be a whole number" in done.err
    assert muster.jobs() == []


def test_help_is_printed_and_starts_nothing(embed, muster):
    done = embed("follow", "-help").wait().expect(0)
    assert "init refused" in done.out and "-executes" in done.out
    assert muster.jobs() == []


def test_flags_arrive_as_they_were_written(muster, tmp_path):
    flags = ["-executes", "a b  c", "-task_params", """--x 'single "double' $HOME `no`""", "",
             "-conf", "k=v=w", "--shell_env=A=ü\n2", "-container_env", "B="]
    file = tmp_path / "arguments"
    program = script(tmp_path / "muster", f'[ "$2" = --convert ] || printf "%s\\0" "$@" > {file}\n')
    submit(muster, CLUSTER, *flags, env={"MUSTER_BINARY": str(program)}).wait().expect(0)
    assert file.read_text().split("\0") == ["tony", *flags, ""]


def test_a_submitter_shows_the_output_and_ends_as_tonys(muster):
    done = submit(muster, CLUSTER, *LOCAL, *ONE, "-executes", "echo out; exit 3").wait()
    done.expect(255)
    assert "out" in done.out
    own = submit(muster, CLUSTER, *LOCAL, *ONE, "--muster-exit-status", "-executes", "exit 3")
    own.wait().expect(1)
    done = submit(muster, "com.linkedin.tony.cli.LocalSubmitter", *ONE, "-executes",
                  """printf '[%s]' "$A" """, "-shell_env", """A=x  "y" 'z'""").wait().expect(0)
    assert """[x  "y" 'z']""" in done.out


def test_a_notebook_lives_for_a_day_unless_a_flag_says_otherwise(muster, tmp_path):
    file = tmp_path / "arguments"
    program = script(tmp_path / "muster", f'printf "%s\\n" "$@" > {file}\n')
    submit(muster, "com.linkedin.tony.cli.NotebookSubmitter", "-executes", "jupyter",
           env={"MUSTER_BINARY": str(program)}).wait().expect(0)
    assert file.read_text().split() == [
        "tony", "--notebook", "-conf", "tony.application.timeout=86400000", "-executes",
        "jupyter"]


@pytest.mark.parametrize("name", [CLUSTER, CLIENT])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_submitter_kills_the_job(muster, name, number):
    running = submit(muster, name, *LOCAL, *ONE, "-executes", "echo up; exec sleep 1000")
    running.sees("up")
    running.signal(number)
    running.wait().expect(128 + number)
    assert muster.status()["outcome"]["result"] == "stopped"


def test_settings_are_found_on_the_class_path(muster, tmp_path):
    folder = tmp_path / "conf"
    folder.mkdir()
    (folder / "tony.xml").write_text(
        "<configuration><property><name>tony.worker.instances</name><value>3</value></property>"
        "<property><name>tony.worker.memory</name><value>64m</value></property></configuration>")
    submit(muster, CLIENT, *LOCAL, "-executes", "true", class_path=[folder]).wait().expect(0)
    assert len(muster.status()["roles"]["worker"]["tasks"]) == 3


def test_the_program_of_the_page_compiles(tmp_path):
    (block,) = [block for block in documents.blocks_of("docs/java.md") if block.place == "java"]
    compile_into(tmp_path, tmp_path / "Page.java", text=f"""
        import com.linkedin.tony.TonyClient;
        import com.linkedin.tony.client.CallbackHandler;
        import org.apache.hadoop.conf.Configuration;
        class Page {{
          void run(CallbackHandler handler, Configuration conf) throws Exception {{ {block.text}
          }}
        }}""")


# Where the program is


def run_copy(muster, folder, env):
    """Runs a submitter from a copy of the jar in a folder of its own."""
    folder.mkdir(exist_ok=True)
    copy = shutil.copy(JAR, folder / "muster-tony.jar")
    return submit(muster, CLUSTER, *LOCAL, *ONE, "-executes", "true", jar=copy,
                  env={"MUSTER_BINARY": None, **env}).wait()


def test_a_program_that_is_not_there_is_one_clear_error(muster, tmp_path):
    done = submit(muster, CLUSTER, *ONE, env={"MUSTER_BINARY": "/nonexistent/muster"}).wait()
    done.expect_error(255, "MUSTER_BINARY is /nonexistent/muster")
    done = run_copy(muster, tmp_path / "alone", {})
    done.expect_error(255, "muster was not found", f"{tmp_path}/alone/muster", "PATH",
                      "MUSTER_BINARY")
    assert len(done.err.splitlines()) == 1


def test_the_program_is_found_beside_the_jar_and_on_the_path(muster, tmp_path):
    folder = tmp_path / "beside"
    folder.mkdir()
    (folder / "muster").symlink_to(harness.BINARY)
    run_copy(muster, folder, {}).expect(0)
    run_copy(muster, tmp_path / "alone", {"PATH": f"/nonexistent:{folder}:/usr/bin"}).expect(0)


def test_the_jar_runs_on_java_8_and_holds_no_class_of_hadoop():
    need_jar()
    with zipfile.ZipFile(JAR) as jar:
        names = [name for name in jar.namelist() if name.endswith(".class")]
        assert names and all(name.startswith("com/linkedin/tony/") for name in names), names
        assert {jar.read(name)[4:8] for name in names} == {b"\0\0\0\x34"}


# Azkaban


def properties(path, **values):
    """Writes a file as java.util.Properties does: special characters escaped."""
    def escape(text):
        return re.sub(r"([\\:=#!])", r"\\\1", text).replace("\n", "\\n")

    path.write_text("#Mon Nov 23 06:00:00 UTC 2026\n" + "".join(
        f"{escape(key.replace('__', '.'))}={escape(value)}\n" for key, value in values.items()))
    return {"JOB_PROP_FILE": str(path)}


AZKABAN_JOB = {
    "type": "TonYJob", "main.args": "--on local  --set name=by-azkaban -shell_env \"B=it's two\" ",
    "executes": 'echo "$A|$B|$AZKABAN_INPUT_DATASET|$AZKABAN_OUTPUT_DATASET|$(cat file)"',
    "worker_env.A": "a = b & c", "tony.worker.instances": "1", "tony.worker.memory": "64m",
    "azkaban.input.dataset": "hdfs:/a,hdfs:/b", "azkaban.output.dataset": "hdfs:/c",
    "tony.default.jvm.opts": "-Dx=y", "tony.application.tags": "mine",
    "azkaban.flow.execid": "17", "azkaban.flow.flowid": "nightly", "azkaban.flow.projectname": "p",
    "azkaban.webserverhost": "az.example.org", "azkaban.job.attempt": "0",
}


def test_an_azkaban_job_is_its_property_file(muster, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "file").write_text("of the sources")
    done = submit(muster, AZKABAN, env=properties(tmp_path / "props", **AZKABAN_JOB)).wait()
    done.expect(0)
    assert "a = b & c|it's two|hdfs:/a;hdfs:/b|hdfs:/c|of the sources" in done.out
    assert muster.status()["name"] == "by-azkaban"
    spec = (muster.job_folder() / "spec.yaml").read_text()
    for tag in ("mine", "azkaban.flow.execid:17", "azkaban.flow.flowid:nightly",
                "azkaban.flow.projectname:p", "azkaban.webserverhost:az.example.org"):
        assert tag in spec, spec


def test_azkaban_kills_by_sigterm(muster, tmp_path):
    values = {**AZKABAN_JOB, "executes": "echo up; exec sleep 1000"}
    running = submit(muster, AZKABAN, env=properties(tmp_path / "props", **values))
    running.sees("up")
    running.signal(signal.SIGTERM)
    running.wait().expect(143)
    assert muster.status()["outcome"]["result"] == "stopped"


def run_properties(muster, path, text, encoding="utf-8"):
    """Runs a property file as written, with what every job here needs."""
    path.write_bytes((text + "\nmain.args=--on local\ntony.worker.instances=1\n"
                      "tony.worker.memory=64m\n").encode(encoding))
    return submit(muster, AZKABAN, env={"JOB_PROP_FILE": str(path)}).wait()


def test_azkabans_property_files_are_read_as_java_reads_them(muster, tmp_path):
    show = """executes = printf '[%s]' \\\n         "$A" "$B" "$C" "$D"\n"""
    done = run_properties(muster, tmp_path / "props", "! a comment\n" + show + """
worker_env.A = \\u00fcber \\u4e2d
worker_env.B:  ends with a blank\\u0020
worker_env.C a \\= b \\: c\\\\d
worker_env.D=
""")
    done.expect(0)
    assert "[über 中][ends with a blank ][a = b : c\\d][]" in done.out, done.text
    for encoding in ("utf-8", "iso-8859-1"):
        done = run_properties(muster, tmp_path / "props", 'executes=echo "<$A>"\nworker_env.A=ü',
                              encoding).expect(0)
        assert "<ü>" in done.out
    done = run_properties(muster, tmp_path / "props", "executes=echo \\u00zz")
    done.expect_error(255, "JOB_PROP_FILE=", "encoding")


def test_quotes_for_azkabans_command_line_are_no_part_of_a_value(muster, tmp_path):
    """TonY's job type wrote values into a command line, where those with blanks had to be
    quoted."""
    done = run_properties(muster, tmp_path / "props", """
executes='printf "quoted: [%s] [%s] [%s]" "$A" "$B" "$C"'
worker_env.A='x  y'
worker_env.B=x  "y"
worker_env.C="it's"
""").expect(0)
    assert "quoted: [x  y] [x  \"y\"] [it's]" in done.out, done.text
    done = run_properties(muster, tmp_path / "props", """
executes='printf [%s]'
task_params=--name "two words" --last
""").expect(0)
    assert "[--name][two words][--last]" in done.out, done.text


def test_azkabans_kill_counts_while_the_job_is_submitted(muster, tmp_path):
    """Its SIGTERM comes when the program that submits the job has just been started."""
    program = script(tmp_path / "muster", f"""[ "$2" = --convert ] || kill -TERM $PPID
exec {harness.BINARY} "$@"
""")
    values = {**AZKABAN_JOB, "executes": "exec sleep 1000"}
    environment = properties(tmp_path / "props", **values)
    done = submit(muster, AZKABAN, env={**environment, "MUSTER_BINARY": str(program)}).wait()
    done.expect(143)
    for job in muster.jobs():
        assert muster("status", job, "--json").json()["outcome"]["result"] == "stopped"


def test_azkaban_hears_of_a_job_that_fails_and_of_files_that_are_missing(muster, tmp_path):
    values = {**AZKABAN_JOB, "executes": "exit 1"}
    submit(muster, AZKABAN, env=properties(tmp_path / "props", **values)).wait().expect(255)
    done = submit(muster, AZKABAN).wait()
    done.expect_error(255, "JOB_PROP_FILE is not set")
    done = submit(muster, AZKABAN, env={"JOB_PROP_FILE": str(tmp_path / "nothing")}).wait()
    done.expect_error(255, f"JOB_PROP_FILE={tmp_path / 'nothing'}: there is no such file")
