"""A page that is open while its job, or the way to it, ends: in a real browser, behind a proxy."""
# timeout: 600

import contextlib

import harness
import pytest
import standing_proxy
from test_page import link_of, state_of

PARSER_WORDS = ("Unexpected token", "JSON", "SyntaxError", "undefined")


@pytest.fixture
def proxied(muster, gate):
    """A running job of one task that has written a line, and the link to it through a proxy."""
    running = muster.start("run", muster.spec(
        {"name": "digits", "command": f"echo half-way; {gate.wait}; exit 0", "tasks": 1}))
    site, token = link_of(running).split("/#t=")
    with contextlib.closing(standing_proxy.StandingProxy(site)) as proxy:
        yield running, proxy, f"{proxy.site}/#t={token}"


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


@pytest.mark.parametrize("mode", standing_proxy.ANSWERS)
def test_a_proxy_that_answers_for_an_ended_job_is_understood(muster, gate, browser, proxied, mode):
    running, proxy, link = proxied
    open_with_log(browser, link)
    job = muster.job()
    proxy.mode = mode
    notice = browser.sees("#notice", "cannot be reached")
    assert f"muster show {job}" in notice and f"muster logs {job}" in notice
    browser.sees("#log-note", f"muster logs {job} worker:0")
    expect_kept(browser, job)
    proxy.mode = "pass"  # It was a new master's takeover: the page goes on.
    harness.eventually(lambda: browser.text("#notice") is None, what="the page goes on",
                       pause=0.1)
    gate.open()
    browser.sees("#outcome-title", "succeeded")
    running.wait().expect(0)
    proxy.mode = mode
    notice = browser.sees("#notice", "has ended")
    assert f"muster show {job}" in notice
    assert browser.text("#outcome-title") == "The job succeeded"
    expect_kept(browser, job)


def test_logs_stay_readable_after_the_end(muster, gate, browser, proxied):
    running, proxy, link = proxied
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


def test_a_page_opened_too_late_says_so(muster, gate, browser, proxied):
    running, proxy, link = proxied
    proxy.mode = "late"
    browser.open(link)
    assert "muster history" in browser.sees("#notice", "cannot be reached")
    shown = browser.run("return document.body.innerText")
    assert not any(words in shown for words in PARSER_WORDS), shown
    gate.open()
    running.wait().expect(0)
