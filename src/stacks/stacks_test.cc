#include "stacks/suspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace muster::stacks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Frame kAllReduce{"all_reduce", "/env/site-packages/torch/distributed/distributed_c10d.py",
                       2501};
const Frame kBarrier{"barrier", "/env/site-packages/torch/distributed/distributed_c10d.py", 4159};
const Frame kStep{"step", "/user/train.py", 31};
const Frame kLoad{"load", "/user/train.py", 12};
const Frame kModule{"<module>", "/user/train.py", 60};

Process python(std::vector<Frame> frames, std::string call = "futex", char state = 'S') {
  Process process{.pid = 10, .parent = 9, .command = "python3 train.py", .python = true};
  process.threads.push_back({.id = 10,
                             .name = "MainThread",
                             .state = state,
                             .wait_channel = "",
                             .system_call = std::move(call),
                             .target = "",
                             .frames = std::move(frames)});
  return process;
}

Subject task(int index, Process process) {
  Process shell{.pid = 9, .parent = 1, .command = "sh -c python3 train.py"};
  shell.threads.push_back({.id = 9, .name = "sh", .state = 'S', .system_call = "wait4"});
  return {.task = "worker:" + std::to_string(index),
          .host = "h" + std::to_string(index),
          .report = {.processes = {std::move(shell), std::move(process)}}};
}

/// All wait in all_reduce but for one.
std::vector<Subject> gang(int size, int odd, const Process& other) {
  std::vector<Subject> subjects;
  for (int i = 0; i < size; ++i) {
    subjects.push_back(task(i, i == odd ? other : python({kAllReduce, kStep, kModule})));
  }
  return subjects;
}

// ---- what travels

TEST(StackReport, IsTheSameAfterItsJourneyInAnyPieces) {
  Process process = python({kAllReduce, kStep});
  process.threads.push_back({.id = 11, .name = "loader", .state = 'D', .wait_channel = "nfs_wait"});
  process.problem = "no \"py-spy\" here";
  process.misses_py_spy = true;
  const std::string text = process_line(process) + frames_line(process) + end_line(3);
  ReportReader reader;
  for (const char byte : text) {
    reader.take(std::string_view(&byte, 1));
  }
  EXPECT_EQ(reader.dropped(), 0U);
  EXPECT_EQ(reader.report(), (Report{.processes = {process}, .left_out = 3, .complete = true}));
}

TEST(StackReport, TakesAnyBytes) {
  for (const std::string text :
       {"x\n", "{\"process\":{\"pid\":0,\"threads\":[]}}\n", "{\"process\":7}\n", "[[[[[[[[[[[[\n",
        "{\"frames\":{\"pid\":77,\"threads\":[]}}\n", "\xff\xfe\n", "{}\n",
        "{\"process\":{\"pid\":-1}}\n"}) {
    ReportReader reader;
    reader.take(text);
    EXPECT_EQ(reader.dropped(), 1U) << text;
    EXPECT_TRUE(reader.report().processes.empty()) << text;
  }
}

TEST(StackReport, IsBounded) {
  ReportReader reader;
  Process process = python({});
  for (int i = 0; i < 300; ++i) {
    process.pid = i + 1;
    reader.take(process_line(process));
  }
  EXPECT_EQ(reader.report().processes.size(), kProcessesMax);
  EXPECT_EQ(reader.dropped(), 300 - kProcessesMax);
}

TEST(StackReport, ShowsHostileNamesHarmlessly) {
  Process process = python({{"\x1b[31mf\nn", "/a\x1b]0;x\x07.py", 1}});
  process.command = "evil\x1b[2J\n" + std::string(10000, 'x');
  ReportReader reader;
  reader.take(process_line(process) + frames_line(process));
  const Report& report = reader.report();
  ASSERT_EQ(report.processes.size(), 1U);
  EXPECT_LE(report.processes[0].command.size(), 2 * kTextBytesMax);
  const std::vector<Subject> subjects = {{.task = "worker:0", .host = "", .report = report}};
  EXPECT_THAT(to_text(subjects), Not(HasSubstr("\x1b")));
}

TEST(PySpy, GivesFramesToThreadsByTheirKernelNumber) {
  Process process = python({});
  process.threads.push_back({.id = 11});
  ASSERT_TRUE(read_py_spy(R"J([{"pid":10,"thread_id":1,"thread_name":"Thread-1 (f)",
      "os_thread_id":11,"frames":[{"name":"f","filename":"/a.py","line":3}]
},
      {"pid":10,"thread_id":2,"thread_name":"MainThread","os_thread_id":null,
       "frames":[{"name":"g","filename":"/b.py","line":4}]},
      {"pid":10,"thread_id":2,"thread_name":"gone","os_thread_id":99,"frames":[]}])J",
                          process));
  EXPECT_THAT(process.threads[0].frames, ElementsAre(Frame{"g", "/b.py", 4}));
  EXPECT_THAT(process.threads[1].frames, ElementsAre(Frame{"f", "/a.py", 3}));
  EXPECT_EQ(process.threads[1].name, "Thread-1 (f)");
  EXPECT_FALSE(read_py_spy("Error: Permission denied", process));
}

TEST(Native, StacksAreReadAsDebuggersPrintThem) {
  Process process = python({});
  process.threads.push_back({.id = 11});
  read_native(R"J([New LWP 11]
Thread 2 (Thread 0x7f1 (LWP 11) "loader"):
#0  0x00007f in __poll (fds=0x1, nfds=1) at ../sysdeps/poll.c:29
#1  0x00007f in ?? () from /lib/libfoo.so
Thread 1 (Thread 0x7f2 (LWP 10) "python3"):
#0  futex_wait (x=1) at futex.c:7
)J",
              process);
  EXPECT_THAT(process.threads[0].frames, ElementsAre(Frame{"futex_wait", "futex.c", 7}));
  EXPECT_THAT(process.threads[1].frames,
              ElementsAre(Frame{"__poll", "../sysdeps/poll.c", 29}, Frame{"??", "/lib/libfoo.so"}));
  Process other = python({});
  read_native("PID 10 - process\nTID 10:\n#0  0x00007f6 poll - /lib/libc.so.6\n", other);
  EXPECT_THAT(other.threads[0].frames, ElementsAre(Frame{"poll", "/lib/libc.so.6"}));
}

// ---- groups

TEST(StackGroups, AreByEqualityAndTheOutlierComesFirst) {
  const std::vector<Subject> subjects = gang(32, 7, python({kLoad, kModule}, "clock_nanosleep"));
  const std::vector<Group> groups = group(subjects);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].members, ElementsAre(7U));
  EXPECT_FALSE(groups[0].waits_for_peers);
  EXPECT_EQ(groups[1].members.size(), 31U);
  EXPECT_TRUE(groups[1].waits_for_peers);
  const std::string text = to_text(subjects);
  EXPECT_THAT(text, StartsWith("worker:7 on h7 sleeps in load (train.py:12)\n"));
  EXPECT_THAT(text, HasSubstr("31 of 32 tasks wait in all_reduce, called by step (train.py:31): "
                              "worker:0-6, worker:8-31\n"));
}

TEST(StackGroups, AreTheSameInWhateverFolder) {
  std::vector<Subject> subjects;
  for (int i = 0; i < 3; ++i) {
    const std::string folder = "/jobs/job-a/tasks/worker-" + std::to_string(i) + ".1";
    subjects.push_back(task(i, python({{"load", folder + (i == 1 ? "/other.py" : "/train.py"), 12},
                                       {"<module>", folder + "/train.py", 60}})));
  }
  const std::vector<Group> groups = group(subjects);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].members, ElementsAre(1));
  EXPECT_THAT(groups[1].members, ElementsAre(0, 2));
}

TEST(StackGroups, NameWhatTheKernelWaitsFor) {
  Process reader = python({kLoad, kModule}, "read", 'D');
  reader.threads[0].target = "/data/part-3";
  EXPECT_THAT(to_text(gang(3, 1, reader)),
              StartsWith("worker:1 on h1 reads from /data/part-3 in load (train.py:12) (D state)"));
}

TEST(StackGroups, WithoutFramesAreByStateAndCall) {
  std::vector<Subject> subjects;
  for (int i = 0; i < 4; ++i) {
    subjects.push_back(task(i, python({}, i == 2 ? "clock_nanosleep" : "poll")));
  }
  const std::vector<Group> groups = group(subjects);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].members, ElementsAre(2U));
}

TEST(StackGroups, OfCallsWithTheSameNameElsewhereDoNotWaitForPeers) {
  const std::vector<Subject> subjects = {task(0, python({{"reduce", "/user/train.py", 3}}))};
  EXPECT_FALSE(group(subjects)[0].waits_for_peers);
}

TEST(StackGroups, AreOneLineOfJson) {
  const std::string json = to_json(gang(3, 1, python({kLoad}, "clock_nanosleep")), "j-1");
  EXPECT_THAT(json, StartsWith(R"({"schema":"muster.stacks/1","job":"j-1","tasks":3,"groups":[)"
                               R"J({"tasks":["worker:1"],"does":"sleeps in load (train.py:12)")J"));
}

TEST(StackGroups, JoinNeighbours) {
  const std::vector<std::string> names = {"chief:0", "worker:0", "worker:1", "worker:3", "odd"};
  EXPECT_EQ(join_tasks(names), "chief:0, worker:0-1, worker:3, odd");
}

// ---- the suspect

Suspect suspect_of(std::span<const Subject> subjects) {
  return find_suspect(subjects).value_or(Suspect{.subject = subjects.size()});
}

TEST(Suspect, IsTheOneThatSleepsWhileAllWaitForIt) {
  const Suspect suspect = suspect_of(gang(32, 7, python({kLoad, kModule}, "clock_nanosleep")));
  EXPECT_EQ(suspect.subject, 7U);
  EXPECT_EQ(suspect.sure, job::Sureness::Certain);
  EXPECT_EQ(suspect.place, "load (train.py:12)");
  EXPECT_EQ(suspect.evidence,
            "worker:7 sleeps in load (train.py:12)\n"
            "31 of 32 tasks wait in all_reduce, called by step (train.py:31)\n"
            "  load (train.py:12)\n"
            "  <module> (train.py:60)");
}

TEST(Suspect, OfTwoIsTheOneThatWaitsForNobody) {
  const Suspect suspect = suspect_of(gang(2, 0, python({kLoad}, "read")));
  EXPECT_EQ(suspect.subject, 0U);
  EXPECT_EQ(suspect.sure, job::Sureness::Certain);
}

TEST(Suspect, IsTheOneInAnotherCollective) {
  const Suspect suspect = suspect_of(gang(4, 3, python({kBarrier, kModule})));
  EXPECT_EQ(suspect.subject, 3U);
  EXPECT_EQ(suspect.sure, job::Sureness::Likely);
}

TEST(Suspect, OfTwoInDifferentCollectivesIsAGuess) {
  EXPECT_EQ(suspect_of(gang(2, 1, python({kBarrier, kModule}))).sure, job::Sureness::Unsure);
}

TEST(Suspect, AmongEqualsIsTheFirstAndAGuess) {
  const Suspect suspect = suspect_of(gang(4, -1, {}));
  EXPECT_EQ(suspect.subject, 0U);
  EXPECT_EQ(suspect.sure, job::Sureness::Unsure);
}

TEST(Suspect, IsTheOneThatTheKernelHolds) {
  Process held = python({kAllReduce, kStep, kModule}, "futex", 'T');
  const Suspect suspect = suspect_of(gang(4, 2, held));
  EXPECT_EQ(suspect.subject, 2U);
  EXPECT_EQ(suspect.sure, job::Sureness::Certain);
}

TEST(Suspect, AloneIsLikelyUnlessItSleeps) {
  EXPECT_EQ(suspect_of(gang(1, 0, python({kLoad}))).sure, job::Sureness::Likely);
  EXPECT_EQ(suspect_of(gang(1, 0, python({kLoad}, "read", 'D'))).sure, job::Sureness::Likely);
  EXPECT_EQ(suspect_of(gang(1, 0, python({kLoad}, "clock_nanosleep"))).sure, job::Sureness::Unsure);
}

TEST(Suspect, WithoutPythonFramesIsAGuess) {
  std::vector<Subject> subjects;
  for (int i = 0; i < 4; ++i) {
    subjects.push_back(task(i, python({}, i == 2 ? "futex" : "poll")));
  }
  EXPECT_EQ(suspect_of(subjects).sure, job::Sureness::Unsure);
}

TEST(Suspect, IsNoServerThatWaitsForRequests) {
  const Frame serve{"run_forever", "/usr/lib/python3.11/asyncio/base_events.py", 607};
  const Process server = python({serve, kModule}, "epoll_wait");
  EXPECT_FALSE(find_suspect(gang(1, 0, server)).has_value());
  const Suspect suspect =
      suspect_of(std::vector<Subject>{task(0, server), task(1, python({kLoad}, "futex"))});
  EXPECT_EQ(suspect.subject, 1U);
  Process daemon = python({}, "accept4");
  daemon.python = false;
  EXPECT_FALSE(find_suspect(gang(1, 0, daemon)).has_value());
}

TEST(Suspect, IsNamedThoughNothingCouldBeRead) {
  const std::vector<Subject> subjects(3, {.task = "worker:0", .host = "h0", .report = {}});
  const Suspect suspect = suspect_of(subjects);
  EXPECT_EQ(suspect.sure, job::Sureness::Unsure);
  EXPECT_THAT(suspect.evidence, HasSubstr("could not be read"));
}

}  // namespace
}  // namespace muster::stacks
