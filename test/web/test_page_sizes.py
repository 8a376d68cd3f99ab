"""The page with jobs of sizes that no test can run; a made-up site answers in place of a master."""
# timeout: 900

import contextlib
import math

import browser as browsers
import fake_site
import harness
import pytest
from test_page_parts import lines_of, press, write

GIGABYTE = 1 << 30
ROWS = "return document.querySelectorAll('#tasks tr[data-task]').length"


@contextlib.contextmanager
def site_of(browser, **made):
    with contextlib.closing(fake_site.FakeSite(**made)) as site:
        browser.open(site.link)
        browser.sees("#phase", "running|ended")
        yield site


def test_windows_share_one_browser_and_nothing_that_pages_keep(browser):
    kept = "return [document.cookie, localStorage.getItem('kept')]"
    with contextlib.closing(browsers.Browser(width=500)) as other, site_of(
            browser, status=fake_site.status_of({"worker": ["active"]})) as site:
        assert other._chromium is browser._chromium
        other.open(site.link)
        browser.run("document.cookie = 'kept=1'; localStorage.setItem('kept', '1')")
        assert browser.run(kept) == ["kept=1", "1"]
        assert other.run(kept) == ["", None]
        widths = [window.run("return [innerWidth, document.hasFocus()]")
                  for window in (browser, other, browser)]
        assert widths == [[1280, True], [500, True], [1280, True]]


def test_ten_thousand_tasks_are_a_few_lines(browser):
    states = ["active"] * 9990 + ["failed"] * 3 + ["waiting"] * 7
    events = [{"n": n, "ms": 1000 * fake_site.BEGIN_S + n, "type": "attempt-started",
               "text": f"worker:{n}, attempt 1 started", "task": f"worker:{n}", "attempt": 1,
               "host": "h1", "generation": 1, "placed": 1000 * fake_site.BEGIN_S}
              for n in range(10_000)]
    with site_of(browser, status=fake_site.status_of({"worker": states, "ps": ["active"] * 3}),
                 events=events):
        browser.sees("#counts", "^7 waiting\n9,993 active\n3 failed$")
        assert browser.run(ROWS) == 0
        head = browser.text("tbody[data-role=worker] .role")
        assert "worker: 10,000 tasks" in head and "3 failed" in head
        browser.click("tbody[data-role=worker] [data-state=failed]")
        harness.eventually(lambda: browser.run(ROWS) == 3)
        browser.click("tbody[data-role=worker] [data-state=failed]")
        browser.click("tbody[data-role=worker] .fold")
        harness.eventually(lambda: browser.run(ROWS) == 100)
        assert "9,900" in browser.text("tbody[data-role=worker] .more")
        write(browser, "#filter", "worker:7777")
        harness.eventually(lambda: browser.run(ROWS) == 1)
        browser.sees("#event-count", "10,000 events")
        assert browser.run("return document.querySelectorAll('#event-list li').length") == 200
        browser.sees("#lane-more", "9,976")
        assert browser.run("return document.querySelectorAll('.attempt').length") == 24


def test_a_gigabyte_of_output_is_a_window(browser):
    def line(number):
        return "Traceback: here" if number == 9_000_000 else f"line {number}"

    with site_of(browser, status=fake_site.status_of({"worker": ["active"]}), size=GIGABYTE,
                 line=line) as site:
        site.places = [9_000_000]
        browser.click('tr[data-task="worker:0"] button[aria-label="stderr of worker:0"]')
        last = GIGABYTE // site.width - 1
        browser.sees("#log-text", f"line {last}")
        browser.sees("#log-where", r"100 % of 1\.0 GiB")
        browser.run("const s = document.getElementById('log-place'); s.value = 500;"
                    "s.dispatchEvent(new Event('change'))")
        middle = GIGABYTE // site.width // 2
        browser.sees("#log-text .found", f"line {middle}")
        # Far up and down: what is held stays small, and no line is lost or doubled.
        for place in (0, 10 ** 9):
            for _ in range(6):
                before = lines_of(browser)
                browser.run("document.getElementById('log-text').scrollTop = arguments[0]", place)
                harness.eventually(lambda before=before: lines_of(browser) != before,
                                   what="the window moves")
        numbers = [int(text.split()[1]) for text in lines_of(browser)]
        assert len(numbers) <= 3000
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        browser.click("#log-error")
        browser.sees("#log-text .found", "^Traceback: here$")
        assert browser.run("return document.querySelectorAll('.line').length") <= 3000


def test_one_who_goes_elsewhere_while_scrolling_sees_that_place(browser):
    go_to = ("const s = document.getElementById('log-place'); s.value = arguments[0];"
             "s.dispatchEvent(new Event('change'))")
    frames = ("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame("
              "() => setTimeout(done, 100))))")
    status = fake_site.status_of({"worker": ["active"]})
    with site_of(browser, status=status, size=GIGABYTE) as site:
        site.piece = 600  # A step needs an answer.
        browser.click('tr[data-task="worker:0"] button[aria-label="stderr of worker:0"]')
        browser.sees("#log-where", r"100 % of 1\.0 GiB")
        browser.run(go_to, 500)
        browser.sees("#log-text .found", f"line {GIGABYTE // site.width // 2}")
        newer, begin = site.hold(r"[1-9]\d+"), site.hold("-0")
        browser.run(go_to, 0)
        assert begin.came.wait(harness.PATIENCE)
        # What is shown still is the middle; below it there would be more.
        browser.run("document.getElementById('log-text').scrollTop = 1e9")
        browser.run(frames)
        begin.go.set()
        browser.run(frames)
        newer.go.set()
        browser.sees("#log-text .found", r"^line 0$")
        numbers = [int(text.split()[1]) for text in lines_of(browser)]
        assert numbers == list(range(len(numbers)))


def test_a_hundred_live_series_are_drawn(browser):
    tasks = [f"worker:{index}" for index in range(100)]
    series = [(task, name, unit, lambda s, i=index: 2 + math.sin(s / 30 + i))
              for index, task in enumerate(tasks)
              for name, unit in (("container.cpu.usage", "{cpu}"), ("user.loss", ""))]
    series += [(task, "container.memory.usage", "By", lambda s: 1 << 30) for task in tasks]
    series += [(task, "container.memory.limit", "By", lambda s: 1 << 31) for task in tasks]
    status = fake_site.status_of({"worker": ["active"] * 100})
    with site_of(browser, status=status, series=series):
        browser.run("document.getElementById('charts').hidden = false;"
                    "document.getElementById('charts').scrollIntoView()")
        browser.sees('[data-chart="Processor"] figcaption', r"mean of 100 tasks [\d.]+ cores")
        browser.sees('[data-chart="Memory"] figcaption', "limit 2 GiB")
        browser.run("const s = document.getElementById('chart-lines'); s.value = 'each';"
                    "s.dispatchEvent(new Event('change'))")
        browser.sees('[data-chart="loss"] figcaption', "100 lines")
        frames = browser.run("""
            return new Promise((done) => {
              const begin = performance.now();
              let count = 0;
              const next = () => {
                ++count;
                if (performance.now() - begin < 3000) { requestAnimationFrame(next); }
                else { done(1000 * count / (performance.now() - begin)); }
              };
              next();
            });""")
        paint = browser.run("return performance.getEntriesByName('first-contentful-paint')[0]"
                            ".startTime")
        print(f"{frames:.0f} frames per second with 300 live series, first paint {paint:.0f} ms")
        browser.run("const s = document.getElementById('chart-scope'); s.value = 'worker:7';"
                    "s.dispatchEvent(new Event('change'))")
        browser.sees('[data-chart="Processor"] figcaption', r"^worker:7 [\d.]+ cores$")


def test_charts_of_a_small_job_are_there_before_anybody_scrolls(browser):
    states = ["active"] * 60
    series = [(f"worker:{n}", "container.cpu.usage", "{cpu}", lambda at: at % 7) for n in range(60)]
    with site_of(browser, status=fake_site.status_of({"worker": states}), series=series):
        harness.eventually(lambda: browser.run(
            "return document.querySelectorAll('#chart-list canvas').length") == 1)
        below = "return document.getElementById('charts').getBoundingClientRect().top - innerHeight"
        assert browser.run(below) > 200 and browser.run("return scrollY") == 0


def test_attempts_are_in_the_order_of_the_tasks(browser):
    roles = {"chief": ["active"], "worker": ["active"] * 12, "evaluator-with-a-name": ["active"]}
    tasks = [f"{role}:{n}" for role, states in roles.items() for n in range(len(states))]
    begun = [*tasks[5:], *reversed(tasks[:5])]
    events = [{"n": n, "ms": 1000 * fake_site.BEGIN_S + n, "type": "attempt-started",
               "text": f"{task}, attempt 1 started", "task": task, "attempt": 1, "host": "h1",
               "generation": 1, "placed": 1000 * fake_site.BEGIN_S} for n, task in enumerate(begun)]
    names = "return [...document.querySelectorAll('.lane-name')].map(e => e.firstChild.textContent)"
    with site_of(browser, status=fake_site.status_of(roles), events=events):
        harness.eventually(lambda: browser.run(names) == tasks, what=lambda: browser.run(names))
        left = ("return Math.min(...[...document.querySelectorAll('.lane-name')].map("
                "e => e.getBBox().x))")
        assert browser.run(left) >= 0, "no name is cut off"


def test_words_of_the_plan_are_whole(browser):
    roles = ["worker", "evaluator-with-a-long-role-name"]
    with site_of(browser, status=fake_site.status_of({"worker": ["active"]})):
        browser.sees("#plan-words", "[Gg]eneric")
        browser.run("""
            const body = document.getElementById('plan-roles');
            body.replaceChildren(...arguments[0].map((role) => {
              const row = document.createElement('tr');
              for (const text of [role, '12', '12', '256 MiB', 'a share', '0', 'independent',
                  'fails the job', '5 in place, 3 in a new container, 3 on another host']) {
                row.append(Object.assign(document.createElement('td'), {textContent: text}));
              }
              return row;
            }));""", roles)
        assert browser.run("""
            const words = [...document.querySelectorAll('#plan-roles td:nth-child(7)')];
            return words.map((cell) => {
              const range = document.createRange();
              range.selectNodeContents(cell.firstChild);
              return range.getClientRects().length;
            });""") == [1, 1]


def test_what_is_asked_of_charts_while_others_come_is_not_forgotten(browser):
    series = [("worker:0", "container.cpu.usage", "{cpu}", lambda s: 0.5),
              ("worker:0", "process.thread.count", "{thread}", lambda s: 7)]
    status = fake_site.status_of({"worker": ["succeeded"]}, phase="ended")
    status["ended"] = "2027-01-15T09:00:00.000Z"
    with site_of(browser, status=status, series=series, held=True) as site:
        harness.eventually(lambda: site.asked.count("api/metrics") > 1)  # The rows ask, too.
        browser.sees("#chart-note", "Loading the measurements")
        browser.run("document.getElementById('chart-rest').open = true")
        site.measured.set()
        browser.sees('[data-chart="process.thread.count"] figcaption', "worker:0 7 thread")
        # The whole of it, and not only what came after the answer to the question before.
        assert {query["from"][0] for query in site.measures
                if "process.thread.count" in query["name"]} == {"0"}


@pytest.mark.parametrize("width, scheme", [(360, "light"), (360, "dark"), (420, "dark"),
                                           (1280, "dark")])
def test_nothing_is_wider_than_the_window(width, scheme):
    window = browsers.Browser(width, 800, scheme)
    status = fake_site.status_of({"worker": ["active"] * 3})
    # It has ended once, and runs again: no cell of its row is empty.
    status["roles"]["worker"]["tasks"][0].update(exit_code=1, attempts=2)
    try:
        with site_of(window, status=status, size=64_000,
                     line=lambda number: f"{number} " + "x" * 60,
                     series=[("worker:0", "container.cpu.usage", "{cpu}", lambda s: 1),
                             ("worker:0", "container.memory.usage", "By", lambda s: 3 << 29),
                             ("worker:0", "container.memory.limit", "By", lambda s: 1 << 31)]):
            window.sees("#asked-facts", "train.py")
            memory = 'tr[data-task="worker:0"] [data-field=memory]'
            window.sees(memory, "1[.]5 GiB of 2 GiB")
            right = window.run("const range = document.createRange();"
                               "range.selectNodeContents(document.querySelector(arguments[0]));"
                               "return range.getBoundingClientRect().right", memory)
            assert right <= width
            press(window, "o")
            window.sees("#log-text", "xxxx")
            assert window.run("return document.documentElement.scrollWidth") <= width
            dark = window.run("return matchMedia('(prefers-color-scheme: dark)').matches")
            assert dark == (scheme == "dark")
            paper = window.run("return getComputedStyle(document.body).backgroundColor")
            assert paper == ("rgb(18, 22, 28)" if dark else "rgb(255, 255, 255)")
    finally:
        window.close()


def test_rows_tell_what_tasks_use(browser):
    series = [("worker:0", "container.cpu.usage", "{cpu}", lambda s: 0.5),
              ("worker:0", "container.memory.usage", "By", lambda s: 3 << 29),
              ("worker:0", "container.memory.limit", "By", lambda s: 1 << 31),
              ("worker:1", "user.step.rate", "", lambda s: 3.25),
              ("worker:2", "container.cpu.usage", "{cpu}", lambda s: 1)]
    status = fake_site.status_of({"worker": ["active", "active", "succeeded"]})
    with site_of(browser, status=status, series=series):
        row = 'tr[data-task="worker:{}"] [data-field={}]'.format
        browser.sees(row(0, "cpu"), r"^0\.5$")
        browser.sees(row(0, "memory"), r"^1\.5 GiB of 2 GiB$")
        browser.sees(row(1, "rate"), r"^3\.25$")
        assert browser.text(row(1, "cpu")) == ""
        assert browser.text(row(2, "cpu")) == ""  # It has ended: it uses nothing.
        shown = ("return getComputedStyle(document.querySelector("
                 "'th[data-field={}]')).display").format
        assert browser.run(shown("cpu")) != "none"
        assert browser.run(shown("gpu")) == "none"  # Nobody has one.
