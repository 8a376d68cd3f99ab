"""The jobs of tony_jobs.toml: what TonY's users have, and what they expect of it.

A job is what a user gives: `flags` (as in a shell), `xml` (settings of tony.xml), `site` (of
tony-site.xml), `text`, `files`, `zips` (files of these names; `modes` of some), `env`. `{env}` in a
command prints the task's environment, and waits until all tasks whose environment is looked at have
done so, as the end of one may end the job. `{folder}` is the folder it all lies in.

And what is expected of it: `status` (0), `jobs` (how many have been submitted; 0: refused before),
`says` and `never` (expressions that some line of the output matches, or none; after `worker:0> ` a
line of that task, after `> ` of any), `counts` (how many such lines), `order` (lines in this
order), `sees` (of a task, worker0: variables with their values, between slashes an expression,
false if they are not there). `signal` is sent once the output matches `when`; `outcome` is that of
the job.

Keys that begin with `yarn_` are for YARN only, and so are `yarn_only` jobs, `hdfs` and `hdfs_zips`
(files at `{hdfs}`, which is `{hdfs_path}` without a scheme) and `application`, what the resource
manager says of it. `yarn = true` marks those that the gate also runs there. `differs` says why
Muster answers differently.

On this machine each job is converted as well: the specification that `--convert` prints must be the
one that the job was run from, and a job that is refused must be refused by `--convert`, too, in the
same words. `converts` says why that cannot be compared.
"""

import pathlib
import re
import shlex
import signal
import tomllib
import zipfile

PRINT_ENVIRONMENT = "env | sed 's/^/SEEN /'"
# Waits, 30 s at most, until the tasks {seen} have printed theirs.
MEET = """; touch {folder}/seen-$JOB_NAME$TASK_INDEX; for n in $(seq 300); do \
(cd {folder}; ls {seen}) > /dev/null 2>&1 && break; \
sleep 0.1; done"""  # lint: allow(sleep) a task may end the job


def all_jobs():
    with pathlib.Path(__file__).with_name("tony_jobs.toml").open("rb") as file:
        return tomllib.load(file)["job"]


def settings_of(values):
    def escape(value):
        return str(value).replace("&", "&amp;").replace("<", "&lt;")

    rows = [f"<property><name>{name}</name><value>{escape(value)}</value></property>"
            for name, value in values.items()]
    return "<configuration>\n" + "\n".join(rows) + "\n</configuration>\n"


def pack(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in members.items():
            entry = zipfile.ZipInfo(member)
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, text)


class TonyJob:
    """One job of the table, in the folder of a `muster`, on `local` or `yarn`; `hdfs_path` is a
    folder in HDFS that it alone uses."""

    def __init__(self, muster, job, on, hdfs_path=""):
        self._muster = muster
        self._job = job
        self._on = on
        self._hdfs_path = hdfs_path

    def run(self, within):
        """Runs it and checks all that is expected of it."""
        self._write_files()
        arguments = [self._filled(word) for word in shlex.split(self._job.get("flags", ""))]
        environment = {**self._job.get("env", {})}
        if "site" in self._job:
            environment["TONY_CONF_DIR"] = str(self._muster.folder / "site")
        running = self._muster.start("tony", *self._cluster(arguments), *arguments,
                                     env=environment)
        if "signal" in self._job:
            running.sees(self._job["when"], within)
            running.signal(getattr(signal, "SIG" + self._job["signal"]))
        done = running.wait(within)
        self._check(done)
        if self._on == "local" and "converts" not in self._job:
            self._check_conversion(done, self._muster(
                "tony", *self._cluster(arguments), *arguments, "--convert", env=environment))
        return done

    def _filled(self, text):
        seen = [f"seen-{task}" for task in self._sees()]
        print_environment = PRINT_ENVIRONMENT + (MEET if len(seen) > 1 else "")
        for name, value in {"env": print_environment, "seen": " ".join(seen),
                            "folder": self._muster.folder,
                            "hdfs": f"hdfs://{self._hdfs_path}",
                            "hdfs_path": self._hdfs_path}.items():
            text = text.replace("{" + name + "}", str(value))
        return text

    def _cluster(self, arguments):
        """The flags that say where it runs; on YARN also those that make it fit a small bed."""
        if self._on == "local":
            return ["--on", "local"]
        given = {**self._job.get("xml", {}), **dict(
            word.partition("=")[::2] for word in arguments if word.startswith("tony."))}
        types = {name.split(".")[1] for name in given if name.endswith(".instances")}
        if given or arguments:
            types.add("am")
        return [word for name in sorted(types) if f"tony.{name}.memory" not in given
                for word in ("-conf", f"tony.{name}.memory=256m")]

    def _write_files(self):
        job, write = self._job, self._muster.write
        settings = {**job.get("xml", {}), **(job.get("yarn_xml", {}) if self._on == "yarn" else {})}
        if settings:
            write("tony.xml", settings_of({name: self._filled(str(value))
                                           for name, value in settings.items()}))
        if "site" in job:
            write("site/tony-site.xml", settings_of(job["site"]))
        for name, text in {**job.get("files", {}), **job.get("text", {})}.items():
            write(name, text)
        for name, mode in job.get("modes", {}).items():
            (self._muster.folder / name).chmod(mode)
        for name, members in job.get("zips", {}).items():
            pack(write(name, ""), members)
        if "hdfs" in job:
            for name, text in job["hdfs"].items():
                write(f"hdfs/{name}", self._filled(text))
            for name, members in job.get("hdfs_zips", {}).items():
                pack(write(f"hdfs/{name}", ""), members)
            self._muster("fs", "put", "hdfs", self._hdfs_path).expect(0)

    # What came of it

    def _check(self, done):
        job, output = self._job, Output(done)
        done.expect(job.get("status", 0))
        wrong = [f"not said: {each}" for each in job.get("says", []) if not output.lines(each)]
        wrong += [f"said: {each}" for each in job.get("never", []) if output.lines(each)]
        for each, number in job.get("counts", {}).items():
            found = len(output.lines(each))
            wrong += [f"{found} times, not {number}: {each}"] if found != number else []
        wrong += output.out_of_order(job.get("order", []))
        for task, values in self._sees().items():
            wrong += unlike(task, output.environment(task), values)
        if "jobs" in job and len(self._muster.jobs()) != job["jobs"]:
            wrong.append(f"{len(self._muster.jobs())} jobs were submitted")
        if "outcome" in job:
            result = self._muster("status", "last", "--json").json()["outcome"]["result"]
            wrong += [f"the outcome is {result}"] if result != job["outcome"] else []
        if job.get("jobs") == 0 and len(done.err.splitlines()) > 10:
            wrong.append("a message of more than 10 lines")
        rest = "\n".join(line for line in done.text.splitlines() if "SEEN " not in line)
        assert not wrong, "\n".join([job["expect"], *wrong, "---", rest[-4000:]])

    def _check_conversion(self, done, converted):
        if converted.code != 0:
            assert self._job.get("jobs") == 0, converted.err
            assert converted.err in done.err
            return
        folder = self._muster.folder
        kept = re.findall(r"^muster: the job as a specification:\n(.*)$", done.err, re.MULTILINE)
        if kept:
            (path,) = kept
            made, ran = (with_whole_files(text, folder)
                         for text in (converted.out, pathlib.Path(path).read_text()))
            assert made == ran, f"{set(made) ^ set(ran)}"
            return
        refused = self._muster("run", self._muster.write("converted.yaml", converted.out),
                               "--on", "local")
        assert refused.code not in (0, 1), refused.text
        assert last_words(refused, folder) == last_words(done, folder)
        assert self._muster.jobs() == []

    def _sees(self):
        sees = dict(self._job.get("sees", {}))
        if self._on == "yarn":
            for task, values in self._job.get("yarn_sees", {}).items():
                sees[task] = {**sees.get(task, {}), **values}
        return sees


FILE = re.compile(r"""( *- )(?:([^ {].*)|\{src: (.+?)(?:, as: (.+?))?(?:, unpack: "?(\w+)"?)?\})""")


def with_whole_files(text, folder):
    """The lines of a specification, with each file given by its path, its name and what becomes of
    it."""
    def whole(line):
        found = FILE.fullmatch(line)
        if not found:
            return line
        indent, alone, source, name, unpack = found.groups()
        path = pathlib.Path(folder, (alone or source).strip('"'))
        name = (name or "").strip('"') or path.name
        return f"{indent}{path} {name} {unpack or 'auto'}"

    # A short list may be on one line.
    text = re.sub(r"^( *)files: \[(.*)\]$", lambda found: "\n".join(
        [f"{found[1]}files:", *(f"{found[1]}  - {file}" for file in found[2].split(", "))]),
        text, flags=re.MULTILINE)
    return [whole(line) for line in text.splitlines()]


def last_words(done, folder):
    """The end of a message, after the place that it names, with paths relative to the folder."""
    return done.err.strip().splitlines()[-1].rpartition(": ")[2].replace(f"{folder}/", "")


class Output:
    """What a job has printed. Lines of a job's only task do not say whose they are."""

    def __init__(self, done):
        self._all = done.text.splitlines()
        self._said = [re.match(r"(?:([a-z]+:\d+) \| )?(.*)", line).groups() for line in self._all]
        self._alone = not any(task for task, _ in self._said)

    def lines(self, expression):
        """The lines, by number, that match `TASK> EXPRESSION`."""
        task, arrow, rest = expression.rpartition("> ")
        if not arrow or not re.fullmatch(r"([a-z]+:\d+)?", task):
            return [i for i, line in enumerate(self._all) if re.search(expression, line)]
        return [i for i, (who, text) in enumerate(self._said)
                if (self._alone or (who and task in ("", who))) and re.search(rest, text)]

    def out_of_order(self, expressions):
        places = [(self.lines(each) or [-1])[0] for each in expressions]
        wrong = [f"not said: {each}"
                 for each, at in zip(expressions, places, strict=True) if at < 0]
        return wrong or ([f"said in another order: {expressions}"]
                         if places != sorted(places) else [])

    def environment(self, task):
        """What the task has printed for `{env}`; `any` is the job's only one."""
        name = "" if task == "any" else re.sub(r"(\d+)$", r":\1", task)
        rows = [self._said[i][1].removeprefix("SEEN ") for i in self.lines(f"{name}> ^SEEN ")]
        return dict(row.partition("=")[::2] for row in rows)


def unlike(task, found, wanted):
    """How the environment of a task differs from the expected one."""
    if not found:
        return [f"{task} has not shown its environment"]

    def fits(value, wish):
        if wish is False or value is None:
            return wish is False and value is None
        if wish.startswith("/") and wish.endswith("/"):
            return re.fullmatch(wish[1:-1], value)
        return value == wish

    return [f"{task}: {name} is {found.get(name)!r}, not {wish!r}"
            for name, wish in wanted.items() if not fits(found.get(name), wish)]
