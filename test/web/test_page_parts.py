"""What a job's page shows beside its tasks: output, attempts, events, what was asked for."""
# timeout: 900
# together: 3

import re

import harness
import pytest
from test_page import LINK, ONCE, link_of, state_of

PRESS = """
const target = document.querySelector(arguments[1]) || document.body;
target.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}));
"""
WRITE = """
const field = document.querySelector(arguments[0]);
field.value = arguments[1];
field.dispatchEvent(new Event('input', {bubbles: true}));
"""


def lines_of(browser):
    return browser.run("return [...document.querySelectorAll('#log-text .what')]"
                       ".map(each => each.textContent)")


def press(browser, key, within="body"):
    browser.run(PRESS, key, within)


def write(browser, field, text):
    browser.run(WRITE, field, text)


def open_page(muster, browser, spec):
    running = muster.start("run", muster.spec(spec))
    browser.open(link_of(running))
    browser.sees("#phase", "running|succeeded|failed")
    return running


def end(gate, running, status=0):
    gate.open()
    running.wait().expect(status)


def test_what_was_asked_for_is_shown(muster, gate, browser):
    running = open_page(muster, browser, {
        "name": "digits", "command": f"echo $MARK; {gate.wait}", "tasks": 2,
        "env": {"MARK": "seen", "API_TOKEN": "unseen-value"}})
    facts = browser.sees("#asked-facts", "Command")
    assert "echo $MARK" in facts
    assert re.search(r"Submitted\s+20\d\d-", facts) and "User" in facts and "Queue" not in facts
    assert re.search(r"worker\s+2\s+2", browser.text("#plan-roles"))
    browser.click("#asked summary")
    text = browser.sees("#spec-text", "name: digits")
    assert "MARK" in text and "seen" in text
    assert "API_TOKEN" in text and "(hidden)" in text and "unseen-value" not in text
    end(gate, running)


def test_attempts_and_events_tell_what_happened(muster, gate, browser):
    first = harness.Gate(muster.folder / "first")
    command = (f"if [ $MUSTER_INDEX = 1 ] && [ $MUSTER_RESTARTS = 0 ]; then {first.wait}; exit 7; "
               f"fi; {gate.wait}")
    running = open_page(muster, browser, {
        "command": command, "tasks": 2,
        "restart": {"process": 1, "container": 0, "host": 0, "backoff": "1ms..2ms"}})
    browser.sees(state_of("worker:1"), "^active$")
    first.open()
    browser.sees("#event-list", r"worker:1, attempt 1 ended: exit code 7")
    browser.sees("#event-list", r"worker:1, attempt 2 started")
    kind = "return document.querySelector('[data-attempt=\"' + arguments[0] + '\"]')?.dataset.kind"
    harness.eventually(lambda: browser.run(kind, "worker:1#1") == "failed")
    harness.eventually(lambda: browser.run(kind, "worker:1#2") == "running")
    words = browser.run("return document.querySelector('[data-attempt=\"worker:1#1\"]')"
                        ".getAttribute('aria-label')")
    assert re.search(r"on \S+; generation 1; started .* ended .*exit 7", words)
    write(browser, "#event-find", "exit code 7")
    browser.sees("#event-count", r"^1 of \d+ events$")
    write(browser, "#event-find", "")
    browser.click("#event-kinds [data-kind=trouble]")
    # Until the next frame, the list shows all of them.
    harness.eventually(lambda: "started" not in browser.text("#event-list"))
    assert "exit code 7" in browser.text("#event-list")
    browser.click("#event-list button")
    browser.sees("#log-title", "worker:1")
    end(gate, running)
    browser.sees("#phase", "succeeded|failed")
    browser.click("#event-kinds [data-kind=all]")
    harness.eventually(lambda: len(browser.text("#event-list").splitlines()) > 10)
    harness.eventually(lambda: browser.run(kind, "worker:1#2") == "succeeded")


def test_tasks_that_hang_are_above_all_while_they_do(muster, browser):
    running = open_page(muster, browser, {"command": "seq 4; mkfifo rows; exec cat rows",
                                          "tasks": 2, "framework": "pytorch",
                                          "stall": {"after": "1s"}})
    hidden = "return document.querySelector('#stalls').hidden"
    text = browser.sees(
        "#stalls", r"worker:\d on \S+ may hang, no progress for [\d.]+ s when .*unsure")
    assert "worker:0-1" in text
    browser.sees("#event-list", r"worker:\d, attempt 1 may hang")
    assert not browser.run(hidden)
    muster("stop", muster.job()).expect(0)
    running.wait()
    harness.eventually(lambda: browser.run(hidden))


def test_tasks_that_have_nothing_to_do_are_called_idle(muster, browser):
    running = open_page(muster, browser, {"command": "exec sleep 10000", "tasks": 1,
                                          "stall": {"after": "1s", "then": "fail"}})
    text = browser.sees("#stalls", r"worker:0 on \S+ is idle, no progress for [\d.]+ s when")
    assert "sleeps in `sleep 10000`, for 2 h" in text
    browser.sees("#event-list", "worker:0, attempt 1 is idle")
    muster("stop", muster.job()).expect(0)
    running.wait()


def test_output_of_several_tasks_is_one_by_time(muster, gate, browser):
    turn = [harness.Gate(muster.folder / f"turn{i}") for i in range(3)]
    command = (f"if [ $MUSTER_INDEX = 0 ]; then {turn[0].wait}; echo one; {turn[2].wait}; "
               f"echo three; else {turn[1].wait}; echo two >&2; fi; {gate.wait}")
    running = open_page(muster, browser, {"command": command, "tasks": 2})
    browser.sees(state_of("worker:1"), "^active$")
    browser.sees(state_of("worker:0"), "^active$")
    press(browser, "o")
    browser.sees("#log-title", "worker:0, worker:1")
    for number, word in enumerate(("one", "two", "three")):
        turn[number].open()
        harness.eventually(lambda word=word: word in lines_of(browser), what=word)
    assert lines_of(browser) == ["one", "two", "three"]
    press(browser, "G")  # After a reload, they are ordered by time.
    browser.sees("#log-text", "three")
    assert lines_of(browser) == ["one", "two", "three"]
    assert browser.run("return [...document.querySelectorAll('.who')].map(e => e.textContent)") == [
        "worker:0", "worker:1", "worker:0"]
    assert browser.run("return document.querySelectorAll('[data-stream=stderr]').length") == 1
    assert not re.search(r"\d\d:\d\d:\d\d", browser.text("#log-text"))
    browser.click("#log-times")
    assert re.search(r"\d\d:\d\d:\d\d\.\d{3}", browser.text("#log-text"))
    write(browser, "#log-tasks", "worker:1")
    browser.run("document.getElementById('log-choose').requestSubmit()")
    browser.sees("#log-text", "two")
    harness.eventually(lambda: lines_of(browser) == ["two"])
    write(browser, "#log-tasks", "ps")
    browser.run("document.getElementById('log-choose').requestSubmit()")
    assert "No task is called" in browser.sees("#log-note", "ps")
    end(gate, running)


def test_what_is_said_of_a_mistyped_name_stays(muster, gate, browser):
    more = harness.Gate(muster.folder / "more")
    command = f"echo one; {more.wait}; echo two; {gate.wait}"
    running = open_page(muster, browser, {"command": command, "tasks": 1})
    browser.sees(state_of("worker:0"), "^active$")
    press(browser, "o")
    browser.sees("#log-text", "one")
    write(browser, "#log-tasks", "ps")
    browser.run("document.getElementById('log-choose').requestSubmit()")
    assert "No task is called" in browser.sees("#log-note", "ps")
    more.open()
    browser.sees("#log-text", "two")
    assert "No task is called" in browser.text("#log-note")
    end(gate, running)


def test_colours_are_colours_and_markup_is_text(muster, gate, browser):
    command = (r"printf '\033[31mred\033[0m plain \033[1;92mbold\033[m \033[2J\033]0;title\007x\n"
               r"<img src=x onerror=alert(1)><script>document.title=1</script>\n"
               r"10%%\r50%%\r100%%\r\n'; " + gate.wait)
    running = open_page(muster, browser, {"command": command, "tasks": 1})
    browser.sees(state_of("worker:0"), "^active$")
    browser.click('tr[data-task="worker:0"] button')
    browser.sees("#log-text", "100%")
    assert lines_of(browser) == [
        "red plain bold x", "<img src=x onerror=alert(1)><script>document.title=1</script>", "100%"]
    assert browser.text("#log-text .a-red") == "red"
    assert browser.text("#log-text .a-bold.a-green") == "bold"
    assert browser.run("return document.querySelectorAll('#log-text img, #log-text script').length"
                       ) == 0
    end(gate, running)


def test_a_long_log_is_searched_and_followed_without_losing_the_place(muster, gate, browser):
    more = harness.Gate(muster.folder / "more")
    command = ("seq 1 1000000; echo 'all well, 0 errors'; echo 'RuntimeError: deep inside'; "
               f"seq 1000001 2000000; echo halfway; {more.wait}; seq 1 500; echo done-now; "
               f"{gate.wait}")
    running = open_page(muster, browser, {"command": command, "tasks": 1})
    browser.sees(state_of("worker:0"), "^active$")
    browser.click('tr[data-task="worker:0"] button')
    browser.sees("#log-text", "halfway")
    browser.sees("#log-where", r"100 % of 1\d\.\d MiB")
    count = "return document.querySelectorAll('#log-text .line').length"
    assert browser.run(count) <= 3000
    browser.click("#log-error")
    browser.sees("#log-text .found", "^RuntimeError: deep inside$")
    around = lines_of(browser)
    at = around.index("RuntimeError: deep inside")
    assert around[at - 2:at] == ["1000000", "all well, 0 errors"] and around[at + 1] == "1000001"
    assert browser.run(count) <= 3000
    # What arrives meanwhile moves nothing.
    top = browser.run("return document.getElementById('log-text').scrollTop")
    more.open()
    browser.sees("#log-end", "To the end")
    assert browser.run("return document.getElementById('log-text').scrollTop") == top
    browser.sees("#log-text .found", "^RuntimeError: deep inside$")
    write(browser, "#log-find", "1234567")
    press(browser, "Enter", "#log-find")
    browser.sees("#log-text .found", "^1234567$")
    assert browser.text("#log-text mark") == "1234567"
    write(browser, "#log-find", "nowhere-at-all")
    press(browser, "Enter", "#log-find")
    browser.sees("#log-found", "None below")
    press(browser, "Escape", "#log-find")
    # Scrolling up reaches what is there; back at the end, the view follows again.
    browser.run("const s = document.getElementById('log-place'); s.value = 0;"
                "s.dispatchEvent(new Event('change'))")
    harness.eventually(lambda: lines_of(browser)[:2] == ["1", "2"], what="the beginning")
    browser.click("#log-end")
    browser.sees("#log-text", "done-now")
    assert lines_of(browser)[-2:] == ["500", "done-now"]
    end(gate, running)


def test_only_people_end_the_following_of_a_log(muster, gate, browser):
    """The page scrolls, too: its own scroll events come while there is more to show, usually so on
    a busy machine."""
    more = harness.Gate(muster.folder / "more")
    running = open_page(muster, browser, {"tasks": 1, "command":
        f"seq 1 5000; echo begun; {more.wait}; for i in $(seq 300); do seq 1 500; done; "
        f"echo halfway; {gate.wait}"})
    browser.sees(state_of("worker:0"), "^active$")
    browser.click('tr[data-task="worker:0"] button')
    browser.sees("#log-text", "begun")
    browser.run("const text = document.getElementById('log-text');"
                "setInterval(() => text.dispatchEvent(new Event('scroll')), 1)")
    more.open()
    browser.sees("#log-text", "halfway")
    assert lines_of(browser)[-1] == "halfway"
    browser.run("document.getElementById('log-text').scrollTop -= 2000")
    browser.sees("#log-end", "To the end")
    end(gate, running)


def test_stopping_asks_twice_and_needs_the_owners_link(muster, browser):
    running = open_page(muster, browser, {"command": "sleep 600", "tasks": 1})
    browser.click("#stop-open")
    shown = browser.sees("#stop", "read-only")
    assert f"muster stop {muster.job()}" in shown
    assert browser.text("#stop-now") is None
    link = muster("status", "last", "--owner-link").expect(0).out.strip()
    assert re.fullmatch(LINK + "&o=[0-9a-f]{64}", link)
    browser.open("about:blank")
    browser.open(link)
    browser.sees("#phase", "^running$")
    assert "#" not in browser.run("return location.href")
    browser.click("#stop-open")
    assert "1 running task" in browser.sees("#stop", "will end")
    browser.click("#stop-now")
    browser.sees("#stop-now", "Really")
    assert muster.status()["phase"] == "running"
    browser.click("#stop-now")
    browser.sees("#outcome-title", "was stopped")
    browser.sees("#event-list", "requested by the owner, on the job's page")
    running.wait().expect(4)
    muster("status", "last", "--owner-link").expect_error(2, "has no page now")


def test_the_keyboard_reaches_everything(muster, gate, browser):
    running = open_page(muster, browser, {"command": f"echo one; {gate.wait}", "tasks": 1})
    browser.sees(state_of("worker:0"), "^active$")
    press(browser, "?")
    keys = browser.sees("#keys", "first error")
    assert "wrap" in keys and "follow" in keys
    browser.run("document.getElementById('keys').close()")
    press(browser, "o")
    browser.sees("#log-text", "one")
    press(browser, "w")
    assert browser.run("return document.getElementById('log-wrap').ariaPressed") == "false"
    press(browser, "/")
    assert browser.run("return document.activeElement.id") == "log-find"
    press(browser, "o", "#log-find")  # In an input field a letter is just a letter.
    browser.run("document.activeElement.blur()")
    press(browser, "Escape")
    assert browser.text("#log") is None
    end(gate, running)


@pytest.mark.parametrize("verb", [("portal",), ("show", "last", "--page")])
def test_a_job_that_has_ended_has_the_same_page(muster, browser, verb):
    muster.run({"name": "bad", "tasks": 2, "restart": ONCE, "command":
                "[ $MUSTER_INDEX = 1 ] || sleep 600; echo 'ValueError: bad row' >&2; exit 7"}
               ).expect(1)
    portal = muster.start(*verb)
    link = portal.sees(r"page: (http://127\.0\.0\.1:\d+/#t=[0-9a-f]{64}\S*)").group(1)
    browser.open(link)
    if verb == ("portal",):
        browser.sees(f'tr[data-job="{muster.job()}"] a', "bad")
        browser.click(f'tr[data-job="{muster.job()}"] a')
    browser.sees("#outcome-title", "failed")
    assert browser.text("#stop-open") is None
    browser.sees("#event-list", "worker:1, attempt 1 ended: exit code 7")
    browser.sees("#asked-facts", "ValueError: bad row")
    cause = "return document.querySelector('[data-attempt=\"worker:1#1\"] .cause') !== null"
    harness.eventually(lambda: browser.run(cause))
    press(browser, "o")
    browser.sees("#log-title", "worker:0, worker:1")
    harness.eventually(lambda: lines_of(browser) == ["ValueError: bad row"])
    browser.click("#log-error")
    browser.sees("#log-text .found", "ValueError")
    portal.signal(2)
    assert portal.wait(harness.PATIENCE).code == 0
