"""The portal of a team in a real browser: signing in, filters, links that stay valid."""
# timeout: 900

import contextlib
import signal

import browser as browsers
import harness
import pytest

ALICE, ROOT = "alice-0123456789abcdef", "root-0123456789abcdef"


@pytest.fixture
def portal(muster, tmp_path):
    """Two people's jobs behind one portal; returns its address and the key of each job by name."""
    keys = {}
    for user, name, command in (("alice", "digits", "echo fine"),
                                ("bob", "bad", "echo 'ValueError: no' >&2; exit 1")):
        home = tmp_path / "homes" / user / ".muster"
        home.parent.mkdir(parents=True)
        muster("run", muster.spec({"name": name, "command": command, "tasks": 1, "restart": {
            "process": 0, "container": 0, "host": 0}}), env={"MUSTER_HOME": str(home)})
        (job,) = (home / "jobs").iterdir()
        keys[name] = f"{user}:{job.name}"
    tokens = muster.write("tokens", f"alice {ALICE}\nroot {ROOT}\n", mode=0o600)
    running = muster.start("portal", "--serve", "--homes", tmp_path / "homes/{user}/.muster",
                           "--tokens", tokens, "--admin", "root")
    yield running.sees(r"portal: (http://\S+/)").group(1), keys
    running.signal(signal.SIGINT)
    assert running.wait(harness.PATIENCE).code == 0


def row(key):
    return f'tr[data-job="{key}"]'


def sign_in(browser, token):
    browser.sees("#sign-in", "Sign in")
    browser.run("document.getElementById('token').value = arguments[0]", token)
    browser.click("#sign-in button")


def choose(browser, name, value):
    browser.run("const f = document.querySelector(`#filters [name=${arguments[0]}]`);"
                "f.value = arguments[1]; f.dispatchEvent(new Event('input', {bubbles: true}))",
                name, value)


def test_people_sign_in_and_narrow_the_list(portal, browser, tmp_path):
    site, keys = portal
    browser.open(site)
    sign_in(browser, "nobodys-0123456789")
    browser.sees("#notice", "does not know that token")
    sign_in(browser, ROOT)
    browser.sees(row(keys["digits"]), "succeeded")
    browser.sees(row(keys["bad"]), "failed")
    browser.sees("#facts", "signed in as root")
    browser.picture(tmp_path / "list.png")
    choose(browser, "state", "failed")
    browser.sees("#place", "1 to 1 of 1")
    assert browser.text(row(keys["digits"])) is None
    assert browser.run("return location.search") == "?state=failed"
    # The address is a link to what is shown.
    browser.open(site + "?state=failed&user=bob")
    browser.sees("#place", "1 to 1 of 1")
    browser.click(f"{row(keys['bad'])} a")
    browser.sees("#outcome-title", "failed")
    assert "ValueError: no" in browser.text("#evidence")


# Holds back the answers to requests whose address has the words, until `window.held` is called.
HOLD = """
const passed = window.fetch, words = arguments[0];
const until = new Promise((done) => { window.held = done; });
window.came = 0;
window.fetch = async (address, ...rest) => {
  const answer = await passed(address, ...rest);
  if (String(address).includes(words)) {
    window.came += 1;
    await until;
  }
  return answer;
};
"""


def test_an_older_list_that_comes_late_changes_nothing(portal, browser):
    site, keys = portal
    browser.open(site)
    sign_in(browser, ROOT)
    browser.sees("#place", "1 to 2 of 2")
    browser.run(HOLD, "state=succeeded")
    choose(browser, "state", "succeeded")
    harness.eventually(lambda: browser.run("return window.came") > 0, what="the list has come")
    choose(browser, "state", "failed")
    browser.sees("#place", "1 to 1 of 1")
    browser.sees(row(keys["bad"]), "failed")
    browser.run("window.held(); return new Promise(done => setTimeout(done, 200))")
    assert browser.text(row(keys["digits"])) is None
    assert browser.text(row(keys["bad"])) is not None


def test_a_user_and_a_queue_have_pages(portal, browser, tmp_path):
    site, keys = portal
    browser.open(site)
    sign_in(browser, ROOT)
    browser.sees(row(keys["bad"]), "failed")
    browser.click(f'{row(keys["bad"])} a[href="#/user/bob"]')
    browser.sees("h1", "Jobs of bob")
    browser.sees("#sums", r"1 job: 1 failed; they ran .* in all. Failures: 1 ")
    assert browser.text(row(keys["digits"])) is None
    # A link to that page stays valid, and shows nobody what they may not see.
    browser.open(site + "?state=failed#/user/bob")
    browser.sees("#place", "1 to 1 of 1")
    browser.sees("h1", "Jobs of bob")
    browser.picture(tmp_path / "user.png")
    browser.click("#all")
    browser.sees("h1", "^Jobs$")
    browser.open(site + "#/queue/gpu")
    browser.sees("h1", "Jobs in the queue gpu")
    browser.sees("#place", "no jobs")


def test_a_host_has_a_page(portal, browser, tmp_path):
    site, keys = portal
    browser.open(site)
    sign_in(browser, ROOT)
    browser.sees(row(keys["bad"]), "failed")
    host = browser.run("return document.querySelector(arguments[0]).innerText",
                       f'{row(keys["bad"])} a[href^="#/host/"]')
    browser.click(f'{row(keys["bad"])} a[href^="#/host/"]')
    browser.sees("h1", f"Jobs that ran on {host}")
    browser.sees("#sums", "2 jobs: 1 failed, 1 succeeded; they ran .* in all, "
                          "2 attempts here, of which 1 failed. Failures: 1 ")
    assert "1 attempt, 1 failed" in browser.text(row(keys["bad"]))
    browser.picture(tmp_path / "host.png")
    # A job's page names its hosts with links to that, and leads back to the list.
    browser.open(f"{site}jobs/{keys['digits']}/")
    browser.sees("#outcome-title", "succeeded")
    browser.click('tr[data-task="worker:0"] [data-field=host] a')
    browser.sees("h1", f"Jobs that ran on {host}")
    browser.sees("#place", "1 to 2 of 2")
    browser.open(f"{site}jobs/{keys['digits']}/")
    browser.sees("#up", "All jobs")
    browser.click("#up")
    browser.sees("h1", "^Jobs$")
    browser.open(site + "#/host/nowhere")
    browser.sees("h1", "Jobs that ran on nowhere")
    browser.sees("#place", "no jobs")


def test_two_jobs_side_by_side(portal, browser, tmp_path):
    site, keys = portal
    browser.open(site)
    sign_in(browser, ROOT)
    for name in ("digits", "bad"):
        browser.sees(row(keys[name]), name)
        browser.click(f"{row(keys[name])} input")
    browser.click("#compare")
    browser.sees('tr[data-name="Result"]', r"succeeded\s+failed")
    browser.sees('tr[data-name="First cause"]', "ValueError: no")
    assert "echo fine" in browser.text('#differences tr[data-name="command"]')
    assert browser.text('#differences tr[data-name="roles.0.tasks"]') is None, "it is the same"
    assert browser.text("#values") is None, "a table without rows"
    browser.sees("#no-curves", "Neither reported anything")
    browser.picture(tmp_path / "compare.png")


TELLS = """
import json, os, socket, sys, time
to = socket.socket(socket.AF_UNIX)
to.connect(os.environ["MUSTER_REPORT"])
for step in range(4):
    told = {"step": step, "loss": float(sys.argv[1]) / (step + 1)}
    to.sendall(json.dumps(told).encode() + b"\\n")
    time.sleep(1)
"""


def test_the_curves_of_two_jobs_are_in_one_chart(muster, portal, tmp_path):
    site, _ = portal
    program = muster.write("tells.py", TELLS)
    home = tmp_path / "homes" / "alice" / ".muster"
    for loss in ("2", "8"):
        muster("run", muster.spec({"name": f"from-{loss}", "tasks": 1,
                                   "command": f"exec /usr/bin/python3 {program} {loss}"}),
               env={"MUSTER_HOME": str(home)}).expect(0)
    jobs = [next((home / "jobs").glob(f"from-{loss}*")) for loss in "28"]
    keys = [f"alice:{job.name}" for job in jobs]
    for width, scheme in ((1280, "light"), (420, "dark")):
        with contextlib.closing(browsers.Browser(width, 900, scheme)) as window:
            window.open(site)
            sign_in(window, ALICE)
            window.sees("#facts", "alice")
            window.open(f"{site}compare.html?one={keys[0]}&other={keys[1]}")
            window.sees('tr[data-name="loss"]', r"0\.5 at the end")
            window.sees('[data-chart="loss"] figcaption', r"from-2\S* 0\.5\s+\S*from-8\S* 2")
            # Above each table its head says whose the columns are, on a phone as well.
            assert window.run("return [...document.querySelectorAll('.compare')].filter((table) => "
                              "!table.hidden).map((table) => table.tHead.innerText.split(/\\s+/)"
                              ".filter((word) => word !== ''))") == [keys] * 3
            assert window.run("return document.documentElement.scrollWidth") <= width
            window.picture(tmp_path / f"compare-{width}.png")


def test_a_link_to_a_job_leads_there_after_signing_in(portal, browser):
    site, keys = portal
    browser.open(f"{site}jobs/{keys['digits']}/")
    sign_in(browser, ALICE)
    browser.sees("#outcome-title", "succeeded")
    browser.open(f"{site}jobs/{keys['bad']}/")
    browser.sees("body", "no such job")
    browser.open(site)
    browser.sees(row(keys["digits"]), "alice")
    assert "bob" not in browser.run("return document.body.innerText")


@pytest.mark.parametrize("width", [420, 1280])
def test_nothing_is_wider_than_the_window(portal, width, tmp_path):
    site, keys = portal
    window = browsers.Browser(width, 800, "dark" if width == 420 else "light")
    try:
        window.open(site)
        sign_in(window, ROOT)
        window.sees(row(keys["bad"]), "failed")
        assert window.run("return document.documentElement.scrollWidth") <= width
        window.picture(tmp_path / "list.png")
    finally:
        window.close()
