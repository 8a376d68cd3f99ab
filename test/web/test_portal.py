"""The pages of jobs that have ended, in a real browser."""
# timeout: 900

import shutil
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
    browser.sees(state_of("worker:1"), "^failed$")
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


def test_a_line_of_a_gigabyte_is_shown_in_pieces(muster, browser):
    muster.run_shell("echo first").expect(0)
    log = muster.home / "jobs" / muster.job() / "logs" / "worker-0.1.stdout"
    with log.open("r+b") as file:
        # Zeros that take no space on the disk.
        file.seek(1 << 30)
        file.write(b"\nthe last line\n")
    portal = muster.start("show", "last", "--page")
    browser.open(portal.sees(LINK).group(1))
    browser.sees("#outcome-title", "succeeded")
    browser.click('tr[data-task="worker:0"] button')
    browser.sees("#log-text", "the last line")
    browser.sees("#log-where", r"100 % of 1\.0 GiB")
    shown = "return document.getElementById('log-text').textContent.length"
    place = "const s = document.getElementById('log-place'); s.value = arguments[0];" \
            "s.dispatchEvent(new Event('change'))"
    for where in (500, 0):
        browser.run(place, where)
        browser.sees("#log-where", r"^[1-9]?\d % of" if where else r"^0 % of")
        assert browser.run(shown) < 16 << 20, "a window of it, never the whole"
    # It begins with what the job wrote.
    browser.sees("#log-text", "^first")
    # The page still answers at once.
    browser.click("#log-close")
    harness.eventually(lambda: browser.text("#log-text") is None)
    end(portal)


def test_a_long_list_comes_in_parts(muster, browser):
    muster.run_shell("exit 3").expect(1)
    first = muster.home / "jobs" / muster.job()
    for number in range(150):
        copy = first.parent / f"copy-{number:06d}"
        shutil.copytree(first, copy)
        for name in ("plan.json", "summary.json"):
            path = copy / name
            path.write_text(path.read_text().replace(first.name, copy.name))
    portal = muster.start("portal")
    browser.open(portal.sees(LINK).group(1))
    browser.sees("#more", "^Show more of the other 51$")
    rows = "return document.querySelectorAll('#jobs tr').length"
    assert browser.run(rows) == 100
    browser.click("#more")
    harness.eventually(lambda: browser.run(rows) == 151)
    assert browser.text("#more") is None
    browser.run("const f = document.getElementById('filter'); f.value = 'copy-000149';"
                "f.dispatchEvent(new Event('input'))")
    harness.eventually(lambda: browser.run(rows) == 1)
    browser.run("const f = document.getElementById('filter'); f.value = 'nothing like it';"
                "f.dispatchEvent(new Event('input'))")
    browser.sees("#notice", "No job matches")
    # A job's page leads back to the list.
    browser.run("const f = document.getElementById('filter'); f.value = 'copy-000149';"
                "f.dispatchEvent(new Event('input'))")
    harness.eventually(lambda: browser.run(rows) == 1)
    browser.click("#jobs a")
    browser.sees("#outcome-title", "failed")
    browser.click("#up")
    browser.sees("h1", "^Jobs$")
    harness.eventually(lambda: browser.run(rows) == 100)
    end(portal)
