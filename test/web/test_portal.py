"""The pages of jobs that have ended, in a real browser."""
# timeout: 900

import signal

import browser as browsers
import harness

LINK = r"page: (http://127\.0\.0\.1:\d+/#t=[0-9a-f]{64}\S*)"


def state_of(task):
    return f'tr[data-task="{task}"] [data-field=state]'


def end(portal):
    portal.signal(signal.SIGINT)
    assert portal.wait(harness.PATIENCE).code == 0


def test_jobs_that_have_ended_are_listed_and_shown(muster, browser):
    muster.run({"name": "good", "command": "echo fine; exit 0", "tasks": 1}).expect(0)
    muster.run({"name": "bad", "tasks": 2, "restart": {"process": 0, "container": 0, "host": 0},
                "command": "[ $MUSTER_INDEX = 1 ] || sleep 600; echo 'ValueError: bad row' >&2; "
                           "exit 7"}).expect(1)
    good, = [job for job in muster.jobs() if job.startswith("good")]
    bad, = [job for job in muster.jobs() if job.startswith("bad")]
    portal = muster.start("portal")
    link = portal.sees(LINK).group(1)
    browser.open(link)
    browser.sees(f'tr[data-job="{good}"]', "succeeded")
    browser.sees(f'tr[data-job="{bad}"]', "failed")
    browser.click(f'tr[data-job="{bad}"] a')
    browser.sees("#outcome-title", "failed")
    assert "ValueError: bad row" in browser.text("#evidence")
    assert browser.text(state_of("worker:1")) == "failed"
    browser.click('tr[data-task="worker:1"] button[aria-label="stderr of worker:1"]')
    browser.sees("#log-text", "^ValueError: bad row\n?$")
    site = link.split("/#t=")[0]
    for path in ("/api/jobs", f"/jobs/{bad}/api/status", f"/jobs/{bad}/logs/worker/1"):
        assert browsers.fetch(site + path)[::2] == (401, "401 Unauthorized\n"), path
    end(portal)


def test_one_job_is_shown_at_once(muster, gate, browser):
    muster.run_shell("echo fine").expect(0)
    job = muster.job()
    portal = muster.start("show", "last", "--page")
    browser.open(portal.sees(LINK).group(1))
    browser.sees("#outcome-title", "succeeded")
    assert browser.text("#job") == job
    end(portal)
    muster("show", "nobody", "--page").expect_error(2, "nobody")
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 1}))
    running.sees(r"page:\shttp")
    muster("show", "last", "--page").expect_error(2, "has not ended")
    gate.open()
    running.wait().expect(0)
