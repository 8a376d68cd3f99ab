"""The job's page of a local job, in a real browser."""
# timeout: 900

import re

import browser as browsers
import harness

LINK = r"http://127\.0\.0\.1:\d+/#t=[0-9a-f]{64}"
ONCE = {"process": 0, "container": 0, "host": 0}


def link_of(running):
    return running.sees(rf"page:\s+({LINK})").group(1)


def state_of(task):
    return f'tr[data-task="{task}"] [data-field=state]'


def test_tasks_change_their_states_while_one_looks(muster, gate, browser):
    step = harness.Gate(muster.folder / "step")
    command = f"{gate.wait}; echo half-way; [ $MUSTER_INDEX = 0 ] || {step.wait}; exit 0"
    running = muster.start("run", muster.spec(
        {"name": "digits", "command": command, "tasks": 2}))
    browser.open(link_of(running))
    browser.sees("#phase", "^running$")
    browser.sees(state_of("worker:0"), "^active$")
    assert "#t=" not in browser.run("return location.href")
    assert browser.text("#job").startswith("digits-")
    gate.open()
    browser.sees(state_of("worker:0"), "^succeeded$")
    assert browser.text(state_of("worker:1")) == "active"
    browser.click('tr[data-task="worker:1"] button')
    browser.sees("#log-text", "^half-way\n?$")
    browser.open(browser.run("return location.href"))  # The session outlives the fragment.
    browser.sees(state_of("worker:1"), "^active$")
    step.open()
    browser.sees("#phase", "^(succeeded|failed|stopped)$")
    browser.sees("#outcome-title", "succeeded")
    running.wait().expect(0)


def test_a_failed_job_shows_its_first_cause(muster, gate, browser):
    command = f"{gate.wait}; [ $MUSTER_INDEX = 1 ] || sleep 600; echo 'ValueError: bad row' >&2; " \
              "exit 7"
    running = muster.start("run", muster.spec({"command": command, "tasks": 2, "restart": ONCE}))
    browser.open(link_of(running))
    browser.sees("#phase", "^running$")
    gate.open()
    browser.sees("#outcome-title", "failed")
    assert browser.text("#phase") in ("succeeded", "failed", "stopped")
    assert re.search(r"worker:1, attempt 1.*exit 7", browser.text("#cause-line"))
    assert "ValueError: bad row" in browser.text("#evidence")
    browser.sees(state_of("worker:1"), "^failed$")
    running.wait().expect(1)


def test_output_is_followed_as_it_comes(muster, gate, browser):
    running = muster.start("run", muster.spec(
        {"command": f"echo first; {gate.wait}; echo second; sleep 600", "tasks": 1}))
    browser.open(link_of(running))
    browser.sees("#phase", "^running$")
    browser.click('tr[data-task="worker:0"] button')
    browser.sees("#log-text", "^first\n?$")
    gate.open()
    browser.sees("#log-text", "^first\nsecond\n?$")
    muster("stop", "last").expect(0)
    browser.sees("#outcome-title", "stopped")
    running.wait().expect(4)


def test_without_the_token_nobody_learns_anything(muster, gate, browser):
    running = muster.start("run", muster.spec(
        {"name": "hush", "command": gate.wait, "tasks": 1}))
    site, token = link_of(running).split("/#t=")
    for path in ("/api/status", "/api/changes?after=0", "/logs/worker/0", "/api/job",
                 "/api/output?s=worker:0/1/stdout", "/api/find?s=worker:0/1/stdout/0&word=a",
                 "/proxy/tensorboard/", "/v/0123/api/status", "/../etc/passwd", "/nothing"):
        status, _, text = browsers.fetch(site + path)
        assert (status, text) == (401, "401 Unauthorized\n"), path
    for path in ("/", "/app.js"):
        status, headers, text = browsers.fetch(site + path)
        assert status == 200 and "hush" not in text
        assert "script-src 'self'" in headers["Content-Security-Policy"]
    wrong = ("0" if token[0] != "0" else "1") + token[1:]
    for guess in (wrong, token[:-1], ""):
        assert browsers.fetch(site + "/api/session", "POST", guess.encode())[0] == 401
    browser.open(f"{site}/#t={wrong}")
    assert "not valid, or no longer valid" in browser.sees("#notice", "valid")
    assert browser.text("main") is None
    browser.open("about:blank")
    browser.open(site + "/")
    browser.sees("#notice", "pen this page with the job's link")
    gate.open()
    running.wait().expect(0)


def test_a_session_is_kept_to_its_path_and_to_reading(muster, gate):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 1}))
    site, token = link_of(running).split("/#t=")
    status, headers, text = browsers.fetch(site + "/api/session", "POST", token.encode())
    assert status == 200
    cookie = headers["Set-Cookie"]
    base = re.search(r'"base":"(v/[0-9a-f]{32}/)"', text).group(1)
    assert f"Path=/{base};" in cookie and "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert token not in cookie
    mine = {"Cookie": cookie.split(";")[0]}
    status, _, text = browsers.fetch(f"{site}/{base}api/status", headers=mine)
    assert status == 200 and '"schema":"muster.status/1"' in text
    assert browsers.fetch(f"{site}/{base}api/status")[0] == 401
    assert browsers.fetch(f"{site}/api/status", headers=mine)[0] == 401
    for method in ("POST", "PUT", "DELETE"):
        assert browsers.fetch(f"{site}/{base}api/status", method, b"", mine)[0] == 405
    assert browsers.fetch(f"{site}/{base}logs/worker/9", headers=mine)[0] == 404
    assert browsers.fetch(f"{site}/{base}logs/..%2f..%2fsecret/0", headers=mine)[0] == 404
    gate.open()
    running.wait().expect(0)


def test_the_link_is_in_status_and_json(muster, gate):
    submitted = muster("submit", muster.spec({"command": gate.wait, "tasks": 1}), "--json")
    link = submitted.expect(0).json()["page"]
    assert re.fullmatch(LINK, link)
    assert muster.status()["page"] == link
    assert link in muster("status", "last").expect(0).out
    gate.open()
    muster.wait_for_phase("ended")
    assert muster.status()["page"] is None
