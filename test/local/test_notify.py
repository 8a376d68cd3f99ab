"""Notices: what leaves a job when its receivers are well, slow, broken or away."""

import http.server
import json
import os
import signal
import ssl
import subprocess
import threading

import harness
import pytest

SECRET = "hunter2-correct-horse-battery"
ALL = ["start", "first_cause", "stall", "end"]


class Hook:
    """A server that answers each request as the next entry of `answers` says: a status, or
    "hang"."""

    def __init__(self, *answers, tls=None):
        self.requests, self._answers, self._gate = [], list(answers), threading.Event()
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802: the library calls it so
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.requests.append((self.path, dict(self.headers), json.loads(body)))
                answer = hook._answers.pop(0) if hook._answers else 200
                if answer == "hang":
                    hook._gate.wait(harness.PATIENCE)
                    return
                self.send_response(answer)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.port = self._server.server_address[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}/hidden-path?k=v"

    def told(self):
        return [body["on"] for _, _, body in self.requests]

    def close(self):
        self._gate.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def hooks():
    made = []

    def make(*answers, **options):
        made.append(Hook(*answers, **options))
        return made[-1]

    yield make
    for hook in made:
        hook.close()


def job(program="true", **notify):
    return {"command": program, "tasks": 1, "notify": notify,
            "restart": {"process": 0, "container": 0, "host": 0}}


def told_facts(muster):
    """The facts that notices left in the log, read once the master is gone."""
    harness.eventually(lambda: muster.pids("master") == [])
    return [fact["text"] for fact in muster("show", "last", "--json").expect(0).json()["facts"]
            if fact["fact"] == "notice-told"]


def trouble(muster):
    harness.eventually(lambda: muster.pids("master") == [])
    shown = muster("status", "last").expect(0).out
    lines = [line for line in shown.splitlines() if line.startswith("notices: ")]
    assert (muster.status()["notice_trouble"] is None) == (not lines), shown
    return lines


def test_a_hook_is_told_of_start_first_cause_and_end(muster, hooks):
    hook = hooks()
    muster.run(job("echo 'ValueError: no' >&2; exit 3", hook=hook.url, on=ALL)).expect(1)
    assert trouble(muster) == []
    assert hook.told() == ["start", "first_cause", "end"]
    path, headers, end = hook.requests[-1]
    assert path == "/hidden-path?k=v"
    assert headers["Content-Type"] == "application/json"
    assert (end["schema"], end["result"], end["exit_status"]) == ("muster.notice/1", "failed", 1)
    assert end["job"] == muster.job() and end["id"] == f"{muster.job()}/end"
    assert end["cause"]["task"] == "worker:0" and "ValueError: no" in end["cause"]["evidence"]
    assert len(told_facts(muster)) == 3


def test_only_what_was_asked_for_is_told(muster, hooks):
    """As the key notify.on says."""
    hook = hooks()
    muster.run(job(hook=hook.url)).expect(0)
    assert trouble(muster) == []
    assert hook.told() == ["end"]
    assert hook.requests[0][2]["result"] == "succeeded"
    muster.run(job(hook=hook.url, on=["start"])).expect(0)
    assert trouble(muster) == []
    assert hook.told() == ["end", "start"]


def test_a_hook_that_answers_500_twice_is_tried_again(muster, hooks):
    hook = hooks(500, 500, 200)
    muster.run(job(hook=hook.url, on=["end"])).expect(0)
    assert trouble(muster) == []
    assert hook.told() == ["end"] * 3
    assert len(told_facts(muster)) == 2, "failing, then delivered"


def test_a_hook_that_hangs_delays_nothing_but_the_masters_goodbye(muster, hooks):
    hook = hooks(*["hang"] * 9)
    muster.run(job(hook=hook.url, on=["start", "end"])).expect(0)
    assert muster.status()["outcome"]["result"] == "succeeded"
    (line,) = trouble(muster)
    assert "`start` was not delivered by hook" in line and "(and 1 more)" in line
    assert "hidden-path" not in line


def test_a_hook_that_is_not_there_is_said_in_one_line(muster):
    muster.run(job(hook="http://127.0.0.1:9/secret", on=["end"])).expect(0)
    (line,) = trouble(muster)
    assert "127.0.0.1:9" in line and "/secret" not in line


def test_a_hook_that_refuses_is_not_tried_again(muster, hooks):
    hook = hooks(404)
    muster.run(job(hook=hook.url, on=["end"])).expect(0)
    (line,) = trouble(muster)
    assert "status 404" in line
    assert hook.told() == ["end"]


def certificate(tmp_path, name="server"):
    chain, key = tmp_path / f"{name}.pem", tmp_path / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=here",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", chain],
                   check=True, capture_output=True)
    return chain, key


def test_a_hook_over_tls_proves_who_it_is(muster, hooks, tmp_path):
    chain, key = certificate(tmp_path)
    hook = hooks(tls=(chain, key))
    path = muster.spec(job(hook=hook.url, on=["end"]))
    muster("run", path, env={"SSL_CERT_FILE": str(chain)}).expect(0)
    assert trouble(muster) == []
    assert hook.told() == ["end"]
    other, _ = certificate(tmp_path, "other")
    muster("run", path, env={"SSL_CERT_FILE": str(other)}).expect(0)
    (line,) = trouble(muster)
    assert "TLS" in line and "certificate" in line
    assert hook.told() == ["end"], "nothing was said to somebody else"


def test_the_token_of_a_hook_is_a_secret(muster, hooks):
    hook = hooks()
    path = muster.spec({**job("echo ValueError: $TOKEN >&2; exit 1", hook=hook.url, token="TOKEN",
                              on=ALL),
                        "env": {"TOKEN": {"from_env": "SOURCE"}}})
    muster("run", path, env={"SOURCE": SECRET}).expect(1)
    assert trouble(muster) == []
    for _, headers, body in hook.requests:
        assert headers["Authorization"] == f"Bearer {SECRET}"
        assert SECRET not in json.dumps(body)
    found = [path.name for path in muster.files_with(SECRET)]
    assert found == ["worker-0.1.stderr"], "what the program itself printed"


def test_a_token_must_be_a_secret_of_env(muster):
    path = muster.spec(job(hook="http://h/", token="TOKEN"))
    muster("validate", path).expect_error(2, "notify", "TOKEN", "from_env")


@pytest.mark.parametrize(("notify", "word"), [
    ({"hook": "ftp://h/"}, "https://"), ({"hook": "http://u:p@h/"}, "token"),
    ({"mail": ["-oQ/tmp"]}, "mail address"), ({"on": ["always"], "hook": "http://h/"}, "start")])
def test_bad_keys_are_named(muster, notify, word):
    muster("validate", muster.spec(job(**notify))).expect_error(2, word)


def test_a_command_gets_the_notice(muster):
    out = muster.folder / "notice"
    path = muster.spec({**job("true", command=f'cat > {out}.$MUSTER_NOTICE; env > {out}.env',
                              on=["end"]),
                        "env": {"TOKEN": {"from_env": "SOURCE"}}})
    muster("run", path, env={"SOURCE": SECRET}).expect(0)
    assert trouble(muster) == []
    assert json.loads((muster.folder / "notice.end").read_text())["job"] == muster.job()
    environment = (muster.folder / "notice.env").read_text()
    assert f"MUSTER_JOB={muster.job()}" in environment
    assert SECRET not in environment


def test_a_command_that_fails_is_said_with_its_words(muster):
    muster.run(job(command="echo no disk >&2; exit 9", on=["end"])).expect(0)
    (line,) = trouble(muster)
    assert "exit code 9: no disk" in line


def test_mail_goes_through_sendmail(muster, tmp_path):
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    mailer = bin_folder / "sendmail"
    mailer.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\ncat > {tmp_path}/mail\n')
    mailer.chmod(0o755)
    path = muster.spec(job(mail=["me@example.com", "you@example.com"], on=["end"]))
    muster("run", path, env={"PATH": f"{bin_folder}:{os.environ['PATH']}"}).expect(0)
    assert trouble(muster) == []
    assert (tmp_path / "arguments").read_text().split() == [
        "-i", "--", "me@example.com", "you@example.com"]
    head, _, body = (tmp_path / "mail").read_text().partition("\n\n")
    assert f"Subject: [muster] {muster.job()}: succeeded" in head
    assert "To: me@example.com, you@example.com" in head
    assert f"muster show {muster.job()}" in body


def test_a_site_may_have_notices_for_all(muster, hooks):
    hook = hooks()
    muster.write("home/config.yaml",
                 f"defaults:\n  notify: {{hook: '{hook.url}', on: [end]}}\n")
    muster.run({"command": "true", "tasks": 1}).expect(0)
    assert trouble(muster) == []
    assert hook.told() == ["end"]


def test_a_killed_master_tells_what_was_not_told_and_nothing_twice(muster, hooks, gate):
    hook = hooks(200, 500)
    running = muster.start("run", muster.spec(job(gate.wait, hook=hook.url, on=ALL)))
    harness.eventually(lambda: hook.told() == ["start"])
    harness.eventually(lambda: "notice-told" in muster("show", muster.job()).out)
    (master,) = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    harness.eventually(lambda: muster.pids("master") not in ([], [master]))
    gate.open()
    running.wait().expect(0)
    assert trouble(muster) == []
    assert hook.told() == ["start", "end", "end"], "the start once; the end until it was taken"


def test_a_master_killed_amid_a_delivery_leaves_it_to_the_next(muster, hooks, gate):
    hook = hooks("hang")
    running = muster.start("run", muster.spec(job(gate.wait, hook=hook.url, on=["start"])))
    harness.eventually(lambda: hook.told() == ["start"])
    (master,) = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    harness.eventually(lambda: hook.told() == ["start", "start"])
    gate.open()
    running.wait().expect(0)
    assert trouble(muster) == []
    assert [body["id"] for _, _, body in hook.requests] == [f"{muster.job()}/start"] * 2
