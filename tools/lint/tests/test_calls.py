import unittest

import calls
from tree import Tree

CASES = {
    "nss": ("src/os/a.cc", "auto* user = getpwuid(uid);"),
    "clock": ("src/job/a.cc", "auto now = std::chrono::steady_clock::now();"),
    "random": ("src/job/a.cc", "std::random_device device;"),
    "thread": ("src/master/a.cc", "std::thread worker(run);"),
    "detached": ("src/master/a.cc", "co_spawn(loop, run(), asio::detached);"),
    "environment": ("src/spec/a.cc", 'const char* home = getenv("HOME");'),
    "process": ("src/master/a.cc", "if (fork() == 0) {"),
    "shell-out": ("src/os/a.cc", 'system("ls");'),
    "exit": ("src/master/a.cc", "std::exit(1);"),
    "throw": ("src/job/a.cc", "throw std::runtime_error(text);"),
    "stream": ("src/client/a.cc", "std::cout << 1;"),
    "unsafe": ("src/os/a.cc", "strcpy(to, from);"),
    "regex": ("src/verdict/a.cc", "std::regex pattern;"),
    "hook": ("src/os/a.cc", "#ifdef MUSTER_TEST"),
    "sleep": ("src/os/a_test.cc", "std::this_thread::sleep_for(1s);"),
}


def messages(path, text):
    return [found.message for found in calls.check(Tree(texts={path: text + "\n"}))]


class CallsTest(unittest.TestCase):
    def test_every_rule_can_fail(self):
        self.assertEqual(set(CASES), {rule for rule, *_ in calls.RULES})
        for rule, (path, line) in CASES.items():
            found = messages(path, line)
            self.assertEqual(len(found), 1, (rule, found))
            self.assertIn(f"[{rule}]", found[0])

    def test_an_allowance_needs_its_rule_and_a_reason(self):
        path, line = CASES["throw"]
        self.assertEqual(messages(path, f"{line}  // lint: allow(throw) as promised"), [])
        self.assertEqual(len(messages(path, f"{line}  // lint: allow(throw)")), 1)
        self.assertEqual(len(messages(path, f"{line}  // lint: allow(exit) no")), 1)

    def test_comments_and_literals_do_not_count(self):
        text = '// fork() and "throw"\nconst auto x = "fork()";'
        self.assertEqual(messages("src/job/a.cc", text), [])

    def test_places_that_may(self):
        self.assertEqual(messages("src/os/a.cc", 'auto* home = getenv("HOME");'), [])
        self.assertEqual(messages("src/rt/a.cc", "std::jthread t;"), [])

    def test_headers_open_no_namespace(self):
        self.assertEqual(len(messages("src/os/a.h", "using namespace std;")), 1)

    def test_python_tests_do_not_sleep(self):
        self.assertEqual(len(messages("test/local/test_a.py", "time.sleep(1)")), 1)
        self.assertEqual(messages("test/local/test_a.py", 'run("time.sleep(1)")'), [])
        self.assertEqual(messages("examples/train.py", "time.sleep(1)"), [])
