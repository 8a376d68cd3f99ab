"""An open page whose job, or the way to it, ends: in a real browser, behind a proxy."""
# timeout: 600

import contextlib
import dataclasses

import browser as browsers
import fake_site
import harness
import pytest
import standing_proxy
from test_page import link_of, state_of

PARSER_WORDS = ("Unexpected token", "JSON", "SyntaxError", "undefined")


@pytest.fixture
def proxied(muster, gate):
    """A running job of one task that has written a line, and a function that makes links to it,
    each through a proxy of its own."""
    running = muster.start("run", muster.spec(
        {"name": "digits", "command": f"echo half-way; {gate.wait}; exit 0", "tasks": 1}))
    site, token = link_of(running).split("/#t=")
    with contextlib.ExitStack() as proxies:
        def through_a_proxy():
            proxy = proxies.enter_context(contextlib.closing(standing_proxy.StandingProxy(site)))
            return proxy, f"{proxy.site}/#t={token}"

        yield running, through_a_proxy


def open_with_log(browser, link):
    browser.open(link)
    browser.sees(state_of("worker:0"), "^active$")
    browser.click('tr[data-task="worker:0"] button')
    browser.sees("#log-text", "^half-way\n?$")


def expect_kept(browser, job):
    assert browser.text(state_of("worker:0")) in ("active", "succeeded")
    assert browser.text("#job") == job
    assert browser.text("#log-text").strip() == "half-way"
    shown = browser.run("return document.body.innerText")
    assert not any(words in shown for words in PARSER_WORDS), shown


@dataclasses.dataclass
class Viewer:
    """Somebody who looks at the job through a proxy that answers by itself in one way."""

    browser: browsers.Browser
    proxy: standing_proxy.StandingProxy
    mode: str

    def cut_off(self):
        self.proxy.mode = self.mode

    def reconnect(self):
        self.proxy.mode = "pass"


@pytest.fixture
def viewers(proxied):
    """One for each way in which a proxy can answer. A page takes its time before it gives up, so
    they all look at the same job at once."""
    _, through_a_proxy = proxied
    with contextlib.ExitStack() as windows:
        found = []
        for mode in standing_proxy.ANSWERS:
            proxy, link = through_a_proxy()
            browser = windows.enter_context(contextlib.closing(browsers.Browser()))
            open_with_log(browser, link)
            found.append(Viewer(browser, proxy, mode))
        yield found


def test_proxies_that_answer_for_an_ended_job_are_understood(muster, gate, proxied, viewers):
    running, _ = proxied
    job = muster.job()
    for viewer in viewers:
        viewer.cut_off()
    for viewer in viewers:
        notice = viewer.browser.sees("#notice", "cannot be reached")
        assert f"muster show {job}" in notice and f"muster logs {job}" in notice, viewer.mode
        viewer.browser.sees("#log-note", f"muster logs {job} worker:0")
        expect_kept(viewer.browser, job)
    for viewer in viewers:
        viewer.reconnect()  # It was a new master's takeover: the page goes on.
    for viewer in viewers:
        harness.eventually(lambda browser=viewer.browser: browser.text("#notice") is None,
                           what=f"the page behind {viewer.mode} goes on", pause=0.1)
    gate.open()
    for viewer in viewers:
        viewer.browser.sees("#outcome-title", "succeeded")
    running.wait().expect(0)
    for viewer in viewers:
        viewer.cut_off()
    for viewer in viewers:
        notice = viewer.browser.sees("#notice", "has ended")
        assert f"muster show {job}" in notice, viewer.mode
        assert viewer.browser.text("#outcome-title") == "The job succeeded", viewer.mode
        expect_kept(viewer.browser, job)


def test_logs_stay_readable_after_the_end(muster, gate, browser, proxied):
    running, through_a_proxy = proxied
    _, link = through_a_proxy()
    open_with_log(browser, link)
    browser.click("#log-close")
    gate.open()
    browser.sees("#outcome-title", "succeeded")
    running.wait().expect(0)
    job = muster.job()
    assert f"muster show {job}" in browser.sees("#notice", "has ended")
    browser.click('tr[data-task="worker:0"] button')
    browser.sees("#log-text", "^half-way\n?$")
    browser.sees("#log-note", f"muster logs {job} worker:0")
    expect_kept(browser, job)


def test_the_end_is_told_of_a_master_that_stays_for_a_while(browser):
    status = fake_site.status_of({"worker": ["succeeded"]}, phase="ended")
    with contextlib.closing(fake_site.FakeSite(status, looks=1)) as site:
        browser.open(site.link)
        browser.sees("#notice", "^The job has ended.*muster show big-abc123")
        assert site.asked.count("api/status") == 2


def test_a_page_opened_too_late_says_so(muster, gate, browser, proxied):
    running, through_a_proxy = proxied
    proxy, link = through_a_proxy()
    proxy.mode = "late"
    browser.open(link)
    assert "muster history" in browser.sees("#notice", "cannot be reached")
    shown = browser.run("return document.body.innerText")
    assert not any(words in shown for words in PARSER_WORDS), shown
    gate.open()
    running.wait().expect(0)
