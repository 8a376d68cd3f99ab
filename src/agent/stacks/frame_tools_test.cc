// The programs that read stacks, played by scripts on the test's own PATH.
#include "agent/stacks/frame_tools.h"

#include "agent/stacks/tool_search.h"
#include "stacks/stack_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kPython =
    R"([{"pid":10,"thread_id":1,"thread_name":"Main","os_thread_id":10,)"
    R"("frames":[{"name":"f","filename":"/a.py","line":3}]}])";

class FrameToolsTest : public ::testing::Test {
 protected:
  FrameToolsTest() {
    char name[] = "/tmp/frame-tools-XXXXXX";
    folder_ = ::mkdtemp(name);
    options_.environment = {{"PATH", folder_.string()}};
  }
  ~FrameToolsTest() override { fs::remove_all(folder_); }

  /// A tool that records its arguments, prints `text`, and exits with `status`.
  void tool(const std::string& name, const std::string& text, int status = 0,
            const std::string& error = "") {
    std::ofstream(folder_ / (name + ".text")) << text;
    std::ofstream(folder_ / (name + ".error")) << error;
    std::ofstream(folder_ / name) << "#!/bin/sh\necho \"$@\" >> "
                                  << (folder_ / "arguments").string()
                                  << "\n/bin/cat \"$0.text\"\n/bin/cat \"$0.error\" >&2\nexit "
                                  << status << "\n";
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  std::string arguments() const {
    std::ifstream file(folder_ / "arguments");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  stacks::Process read(bool python, char state = 'S', const std::string& call = "") {
    stacks::Process process{.pid = 10, .python = python};
    process.threads.push_back({.id = 10, .state = state, .system_call = call});
    FrameTools(options_).read(process, std::chrono::seconds(30));
    return process;
  }

  fs::path folder_;
  FrameTools::Options options_;
};

TEST_F(FrameToolsTest, PySpyReadsWhatSleepsWithoutStoppingIt) {
  tool("py-spy", kPython);
  const stacks::Process process = read(true);
  EXPECT_THAT(process.threads[0].frames, ElementsAre(stacks::Frame{"f", "/a.py", 3}));
  EXPECT_EQ(process.problem, "");
  EXPECT_EQ(arguments(), "dump --json --pid 10 --nonblocking\n");
}

TEST_F(FrameToolsTest, PySpyStopsWhatRuns) {
  tool("py-spy", kPython);
  (void)read(true, 'R');
  EXPECT_EQ(arguments(), "dump --json --pid 10\n");
}

TEST_F(FrameToolsTest, GdbTellsWhereAProgramWaitsForItself) {
  tool("gdb",
       "Thread 1 (Thread 0x7f (LWP 10) \"a\"):\n#0  0x00007f in futex_wait () from /lib/libc.so.6\n"
       "#1  0x000055 in consume () at queue.cc:10\n");
  options_.where_it_waits = true;
  EXPECT_EQ(stacks::place_of(read(false, 'S', "futex").threads[0]), "consume (queue.cc:10)");
  EXPECT_THAT(read(false, 'S', "epoll_wait").threads[0].frames, IsEmpty());
  options_.where_it_waits = false;
  EXPECT_THAT(read(false, 'S', "futex").threads[0].frames, IsEmpty());
}

TEST_F(FrameToolsTest, FramesOfAProgramWithoutLinesAreNotShownForWhereItWaits) {
  tool("gdb",
       "Thread 1 (LWP 10):\n#0  0x00007f in futex_wait () from /lib/libc.so.6\n"
       "#1  0x000055 in main ()\n#2  0x00007f in __libc_start_main_impl () at "
       "../csu/libc-start.c:360\n");
  options_.where_it_waits = true;
  const stacks::Process process = read(false, 'S', "futex");
  EXPECT_THAT(process.threads[0].frames, IsEmpty());
  EXPECT_EQ(process.problem, "");
}

TEST_F(FrameToolsTest, PySpyReadsNativeFramesWhereTheyAreWanted) {
  tool("py-spy", kPython);
  tool("gdb", "");
  options_.native = true;
  EXPECT_FALSE(read(true).threads[0].frames.empty());
  EXPECT_EQ(arguments(), "dump --json --pid 10 --native --locals\n")
      << "no debugger is needed, too, and variables tell whether a loop moves";
}

TEST_F(FrameToolsTest, ThePySpyThatWasNamedIsUsed) {
  tool("other-spy", kPython);
  options_.py_spy = (folder_ / "other-spy").string();
  EXPECT_FALSE(read(true).threads[0].frames.empty());
}

TEST_F(FrameToolsTest, WithoutPySpyItSaysHowToGetIt) {
  const stacks::Process process = read(true);
  EXPECT_TRUE(process.misses_py_spy);
  EXPECT_THAT(process.problem, HasSubstr("there is no py-spy on " + host_name()));
  EXPECT_THAT(process.problem, HasSubstr("pip install py-spy"));
}

TEST_F(FrameToolsTest, WhatIsNoPythonIsNotReadByPySpy) {
  tool("py-spy", kPython);
  EXPECT_EQ(read(false).problem, "");
  EXPECT_EQ(arguments(), "");
}

TEST_F(FrameToolsTest, WhatPySpySaysIsThePlainProblem) {
  tool("py-spy", "", 1, "Error: no such process\n\nStack backtrace:\n");
  const stacks::Process process = read(true);
  EXPECT_EQ(process.problem, "its Python frames are not known: Error: no such process");
  EXPECT_FALSE(process.misses_py_spy);
  EXPECT_EQ(arguments(), "dump --json --pid 10 --nonblocking\ndump --json --pid 10 --nonblocking\n")
      << "asked once more, for its words";
}

TEST_F(FrameToolsTest, WhatCannotBeReadTwiceIsNoReport) {
  tool("py-spy", "no json", 0);
  EXPECT_EQ(read(true).problem, "its Python frames are not known: no json");
  std::ofstream(folder_ / "py-spy") << "#!/bin/missing\n";
  EXPECT_THAT(read(true).problem, StartsWith("its Python frames are not known: "));
}

TEST_F(FrameToolsTest, DebuggersReadNativeFrames) {
  tool("gdb", "Thread 1 (Thread 0x7f2 (LWP 10) \"x\"):\n#0  wait (x=1) at futex.c:7\n");
  options_.native = true;
  const stacks::Process process = read(false);
  EXPECT_THAT(process.threads[0].frames, ElementsAre(stacks::Frame{"wait", "futex.c", 7}));
  EXPECT_EQ(arguments(), "-nx -batch -p 10 -ex thread apply all backtrace\n");
}

TEST_F(FrameToolsTest, EuStackComesBeforeGdb) {
  tool("gdb", "");
  tool("eu-stack", "PID 10 - process\nTID 10:\n#0  0x00007f6 poll - /lib/libc.so.6\n");
  options_.native = true;
  EXPECT_THAT(read(false).threads[0].frames, ElementsAre(stacks::Frame{"poll", "/lib/libc.so.6"}));
  EXPECT_EQ(arguments(), "-m -p 10\n");
}

TEST_F(FrameToolsTest, WithoutADebuggerItSaysWhichOnesHelp) {
  options_.native = true;
  EXPECT_THAT(read(false).problem,
              HasSubstr("there is neither eu-stack (elfutils) nor gdb on " + host_name()));
  EXPECT_THAT(read(true).problem, HasSubstr("no py-spy")) << "the first problem stays";
  options_.native = false;
  EXPECT_EQ(read(false).problem, "");
}

TEST_F(FrameToolsTest, ADebuggerThatReadsNothingIsAProblem) {
  tool("gdb", "ptrace: Operation not permitted.\n", 1);
  options_.native = true;
  const std::string problem = read(false).problem;
  EXPECT_THAT(problem, StartsWith("its native frames are not known: "));
  EXPECT_THAT(problem, HasSubstr("gdb could not read them; " + why_forbidden()));
}

TEST_F(FrameToolsTest, AToolThatIsKilledLeavesNobodyStopped) {
  const auto state_of = [](pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number;
    std::string name;
    std::string state;
    file >> number >> name >> state;
    return state;
  };
  for (const bool stood : {false, true}) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::pause();
      ::_exit(0);
    }
    if (stood) {
      ::kill(pid, SIGSTOP);
      int status = 0;
      ASSERT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
    }
    tool("gdb", "");
    std::ofstream(folder_ / "gdb") << "#!/bin/sh\nkill -STOP $4\nexec /bin/sleep 1000\n";
    options_.native = true;
    stacks::Process process{.pid = pid};
    process.threads.push_back({.id = pid, .state = stood ? 'T' : 'S'});
    FrameTools(options_).read(process, std::chrono::milliseconds(500));
    EXPECT_EQ(state_of(pid) == "T", stood) << "whoever stood before stands";
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

// ---- where tools are

TEST_F(FrameToolsTest, ProgramsAreFoundOnThePathFirst) {
  tool("py-spy", "");
  fs::create_directories(folder_ / "other");
  std::ofstream(folder_ / "other/py-spy") << "";
  const std::string both = (folder_ / "other").string() + "::" + folder_.string();
  EXPECT_EQ(find_program("py-spy", {{"PATH", both}}, {}), (folder_ / "py-spy").string())
      << "what nobody may run is none";
  EXPECT_EQ(find_program("py-spy", {{"PATH", "/nowhere"}}, {{}, folder_}),
            (folder_ / "py-spy").string());
  EXPECT_EQ(find_program("other", {{"PATH", folder_.string()}}, {}), "") << "a folder is none";
  EXPECT_EQ(find_program("sh", {}, {}), "/usr/bin/sh");
  EXPECT_EQ(find_program("no-such-tool", {}, {folder_}), "");
}

TEST(ToolSearch, LooksBesideTheProgramAndTheInterpreter) {
  const auto folders = folders_beside(::getpid());
  ASSERT_EQ(folders.size(), 2U);
  EXPECT_EQ(folders[0], fs::read_symlink("/proc/self/exe").parent_path());
}

TEST(ToolSearch, FailuresAreSaidInAFewWords) {
  EXPECT_EQ(words_of_failure("Error: a\n  b\nc\nd\ne\n"), "Error: a b c d");
  EXPECT_EQ(words_of_failure("one\n\ntwo\n"), "one");
  EXPECT_EQ(words_of_failure("one\n Stack backtrace:\ntwo\n"), "one");
  EXPECT_EQ(words_of_failure(""), "");
}

TEST(ToolSearch, WhatIsForbiddenSaysWhatLiftsIt) {
  for (const char* said : {"Permission denied", "permission denied", "Operation not permitted"}) {
    EXPECT_EQ(words_of_failure(said), std::string(said) +
                                          "; reading another process is forbidden on " +
                                          host_name() + ": " + why_forbidden());
  }
}

}  // namespace
}  // namespace muster::agent
