"""muster notebook, and kernels in tasks, as people use them: JupyterLab in Chromium."""
# timeout: 900
# together: 2

import os
import re
import signal
import socket

import browser as browsers
import harness
import pytest

LINK = r"(http://127\.0\.0\.1:(\d+)/lab\?token=(\S+))"
NOTEBOOK = ".jp-NotebookPanel:not(.lm-mod-hidden)"


class Lab:
    """JupyterLab's page."""

    def __init__(self, window, link):
        self.window = window
        window.open(link)

    def choose(self, selector, text=""):
        """Clicks on the first matching element that is visible and has the text."""
        def middle():
            return self.window.run(
                "for (const e of document.querySelectorAll(arguments[0])) {"
                "  const {left, top, width, height} = e.getBoundingClientRect();"
                "  if (width && height && e.innerText.includes(arguments[1]))"
                "    return {x: left + width / 2, y: top + height / 2};"
                "} return null", selector, text)

        where = harness.eventually(middle, pause=0.1,
                                   what=lambda: f"{selector} with {text!r}: {self.page()}")
        for kind in ("mousePressed", "mouseReleased"):
            self.window.devtools("Input.dispatchMouseEvent", type=kind, button="left",
                                 clickCount=1, **where)

    def start(self, category, text):
        """Starts what a card of the launcher offers."""
        self.choose(f'.jp-LauncherCard[data-category="{category}"]', text)

    def kernel_is_ready(self):
        """Whether the page is connected to a kernel that waits for a cell."""
        told = self.window.run("return fetch('/api/kernels').then(answer => answer.json())")
        return [each["execution_state"] for each in told if each["connections"]][:1] == ["idle"]

    def page(self):
        return self.window.run("return document.body.innerText")

    def outputs(self):
        return self.window.run(
            f"return [...document.querySelectorAll('{NOTEBOOK} .jp-OutputArea-output')]"
            ".map(e => e.innerText.trim())")

    def cells(self):
        return self.window.run(f"return document.querySelectorAll('{NOTEBOOK} .jp-Cell').length")

    def run_cell(self, code):
        """Types into the notebook's last cell and runs it; returns what it shows."""
        idle = f"{NOTEBOOK} .jp-Notebook-ExecutionIndicator[data-status=idle]"
        cell = f"{NOTEBOOK} .jp-Cell.jp-mod-active"

        def typed():
            self.choose(f"{cell} .jp-InputArea-editor")
            self.window.press("a", browsers.CONTROL)
            self.window.type(code)
            return self.window.text(f"{cell} .cm-content") == code

        harness.eventually(lambda: self.kernel_is_ready() and self.window.run(
            "return !!document.querySelector(arguments[0])", idle),
            what=lambda: f"the kernel is idle: {self.page()}", pause=0.1)
        before = len(self.outputs())
        # A page that is still being made takes the focus away.
        harness.eventually(typed, what=lambda: f"{code} in the cell: {self.page()}")
        self.window.press("Enter", browsers.SHIFT)
        return harness.eventually(lambda: self.outputs()[before:],
                                  what=lambda: f"an output of {code}: {self.page()}", pause=0.1)[0]

    def run_in_terminal(self, line, file):
        """Types a line into the terminal in front; the line writes the file."""
        def done():
            # Anything typed before the page is connected to the shell is lost.
            self.choose(".jp-Terminal .xterm-screen")
            self.window.type(line + "\n")
            try:
                return harness.eventually(lambda: file.exists() and file.read_text(), 5)
            except AssertionError:
                return None

        return harness.eventually(done)


@pytest.fixture
def lab(muster, python):
    """The program in an environment that has JupyterLab."""
    muster.environment["PATH"] = f"{python.parent}:{muster.environment['PATH']}"
    # What JupyterLab remembers about its user.
    muster.environment["HOME"] = str(muster.folder / "person")
    (muster.folder / "person").mkdir()
    (muster.folder / "work").mkdir()
    yield muster
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


def test_a_notebook_over_the_masters_death_by_two_people(lab, browser):
    work = lab.folder / "work"
    running = lab.start("notebook", cwd=work)
    link, port, token = running.sees(LINK).groups()
    page = Lab(browser, link)
    page.start("Notebook", "Python 3")
    assert page.run_cell("x = 6 * 7; print(x)") == "42"
    page.choose(".lm-TabBar-addButton")
    page.start("Other", "Terminal")
    assert page.run_in_terminal("echo $MUSTER_ROLE $((x = 6 * 7)) > typed", work / "typed") == \
        "worker 42\n"

    os.kill(lab.pids("master")[0], signal.SIGKILL)
    assert page.run_in_terminal("echo again $x > again", work / "again") == "again 42\n"
    running.sees("connected again")
    page.choose(".lm-TabBar-tab", "Untitled.ipynb")
    assert page.run_cell("x += 1; print(x)") == "43"
    browser.press("s", browsers.CONTROL)
    harness.eventually(lambda: "43" in (work / "Untitled.ipynb").read_text(), what="it is saved")

    # A second viewer, by a tunnel of their own: the same document and the same kernel.
    second = lab.start("notebook", lab.job())
    theirs, *_, same = second.sees(LINK).groups()
    assert same == token
    other = browsers.Browser()
    try:
        viewer = Lab(other, theirs.replace("/lab?", "/lab/tree/Untitled.ipynb?"))
        # The third cell is empty; until it is there, the last one is the second.
        harness.eventually(lambda: viewer.outputs() == ["42", "43"] and viewer.cells() == 3,
                           what=lambda: f"what was saved: {viewer.page()}", pause=0.1)
        viewer.choose(f"{NOTEBOOK} .jp-Cell:last-child .jp-InputArea-editor")
        assert viewer.run_cell("x += 1; print(x)") == "44"
        # The first one leaves; the second goes on.
        running.signal(signal.SIGINT)
        running.wait().expect(128 + signal.SIGINT)
        assert viewer.run_cell("x += 1; print(x)") == "45"
    finally:
        other.close()
    second.signal(signal.SIGINT)
    second.wait().expect(128 + signal.SIGINT)

    # Once the same address works again, the page that was left open continues by itself.
    again = lab.start("notebook", lab.job(), "--port", port)
    assert again.sees(LINK).group(1) == link
    assert page.run_cell("print(x + 1)") == "46"
    lab("stop", lab.job()).expect(0)
    assert re.search("ended|is ending", again.wait().expect(6).err)


COUNTS = "import time; _ = [(print(i, end=' ', flush=True), time.sleep(0.1)) for i in range(300)]"
# Writes that many random bytes into a file, and reads them again.
THERE_AND_BACK = """
const sent = new Uint8Array(arguments[0]);
for (let at = 0; at < sent.length; at += 65536)
  crypto.getRandomValues(sent.subarray(at, at + 65536));
let text = "";
for (let at = 0; at < sent.length; at += 32768)
  text += String.fromCharCode(...sent.subarray(at, at + 32768));
const xsrf = document.cookie.match(/_xsrf=([^;]*)/)[1];
return fetch("/api/contents/sent.bin", {
  method: "PUT", headers: {"X-XSRFToken": xsrf, "Content-Type": "application/json"},
  body: JSON.stringify({type: "file", format: "base64", content: btoa(text)})})
.then(answer => answer.ok ? fetch("/files/sent.bin") : Promise.reject(answer.status))
.then(answer => answer.arrayBuffer())
.then(came => {
  const got = new Uint8Array(came);
  return got.length === sent.length && got.every((byte, at) => byte === sent[at]);
});
"""


def test_a_day_with_two_notebooks(lab, browser):
    """Two documents, files both ways, a master that dies and a laptop that sleeps while a cell
    prints, a page that is opened anew, a kernel that is restarted, and a wrong link."""
    running = lab.start("notebook", cwd=lab.folder / "work")
    link, *_ = running.sees(LINK).groups()
    page = Lab(browser, link)
    page.start("Notebook", "Python 3")
    assert page.run_cell("who = 'first'; print(who)") == "first"
    page.choose(".lm-TabBar-addButton")
    page.start("Notebook", "Python 3")
    assert page.run_cell("print('who' in globals())") == "False"
    assert browser.run(THERE_AND_BACK, 5_000_000) is True

    page.run_cell(COUNTS)
    os.kill(lab.pids("master")[0], signal.SIGKILL)
    running.sees("connected again")
    running.signal(signal.SIGSTOP)
    with pytest.raises(AssertionError):
        harness.eventually(lambda: page.outputs()[-1].endswith("299"), 3)
    running.signal(signal.SIGCONT)
    counted = " ".join(str(i) for i in range(300))
    harness.eventually(lambda: page.outputs()[-1] == counted, what=page.outputs, pause=0.1)

    # The kernel goes on when its page is left.
    page.run_cell("mark = 'kept'; " + COUNTS)
    browser.press("s", browsers.CONTROL)
    saved = lab.folder / "work" / "Untitled1.ipynb"
    harness.eventually(lambda: "mark = 'kept'" in saved.read_text(), what="it is saved")
    browser.open(link)
    harness.eventually(lambda: page.cells() >= 4, what=page.page, pause=0.1)
    page.choose(f"{NOTEBOOK} .jp-Cell:last-child .jp-InputArea-editor")
    assert page.run_cell("print(mark)") == "kept"

    page.choose(f'{NOTEBOOK} [data-jp-item-name="restart"] jp-button')
    page.choose(".jp-Dialog-button.jp-mod-accept")
    harness.eventually(lambda: browser.run("return !document.querySelector('.jp-Dialog')"))
    assert page.run_cell("print('mark' in globals())") == "False"
    page.choose(".lm-TabBar-tab", "Untitled.ipynb")
    page.choose(f"{NOTEBOOK} .jp-Cell:last-child .jp-InputArea-editor")
    assert page.run_cell("print(who)") == "first"

    somebody = browsers.Browser()
    try:
        somebody.open(re.sub(r"token=.*", "token=guessed", link))
        somebody.sees("body", "Password or token")
    finally:
        somebody.close()
    lab("stop", lab.job()).expect(0)
    assert re.search("ended|is ending", running.wait().expect(6).err)


def test_a_notebook_of_ones_own_has_its_kernel_in_a_task(muster, python, jupyter, digits, browser):
    """As docs/reach.md starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = harness.Running(
        ["lab", "--ServerApp.kernel_spec_manager_class=muster.jupyter.TaskKernels",
         "--no-browser", "--allow-root", f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1"],
        {**jupyter, "HOME": str(muster.folder)}, muster.folder, program=python.parent / "jupyter")
    try:
        page = Lab(browser, own.sees(LINK).group(1))
        page.start("Notebook", f"worker:1 of {digits}")
        where = "import os; print(os.environ['MUSTER_ROLE'], os.environ['MUSTER_INDEX'])"
        assert page.run_cell(where) == "worker 1"
        page.run_cell("x = 6 * 7; print(x)")
        os.kill(muster.pids("master")[0], signal.SIGKILL)
        assert page.run_cell("print(x)") == "42"
        muster("show", digits).expect(0)
    finally:
        own.signal(signal.SIGTERM)
        own.wait()
