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

/// All wait in all_reduce except one.
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
  process.threads[0].variables = 0xfedcba9876543210;
  process.threads[0].brief = true;
  process.threads[0].holds_gil = true;
  process.threads[1].fed = true;
  process.threads[0].takes = true;
  process.threads[0].input = true;
  process.threads[1].timed = true;
  process.reachable = false;
  process.ended = {{.pid = 12, .code = 0, .signal = 9}};
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
      "os_thread_id":11,"owns_gil":true,"frames":[{"name":"f","filename":"/a.py","line":3}]
},
      {"pid":10,"thread_id":2,"thread_name":"MainThread","os_thread_id":null,
       "frames":[{"name":"g","filename":"/b.py","line":4}]},
      {"pid":10,"thread_id":2,"thread_name":"gone","os_thread_id":99,"frames":[]}])J",
                          process));
  EXPECT_THAT(process.threads[0].frames, ElementsAre(Frame{"g", "/b.py", 4}));
  EXPECT_THAT(process.threads[1].frames, ElementsAre(Frame{"f", "/a.py", 3}));
  EXPECT_EQ(process.threads[1].name, "Thread-1 (f)");
  EXPECT_TRUE(process.threads[1].holds_gil);
  EXPECT_FALSE(process.threads[0].holds_gil);
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

TEST(Java, FramesAreReadAsTheVirtualMachinePrintsThem) {
  const auto java = [] {
    Process process{.pid = 26, .command = "java Deadlock", .java = true};
    for (const int32_t id : {26, 27, 30, 31}) {
      process.threads.push_back({.id = id, .name = "java", .state = 'S', .system_call = "futex"});
    }
    return process;
  };
  Process process = java();
  ASSERT_TRUE(read_java(R"J(2026-11-27 02:20:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9-Debian mixed mode, sharing):

"main" #1 prio=5 os_prio=0 cpu=45.21ms elapsed=10.22s tid=0x00007f nid=0x1b in Object.wait()  [0x1]
   java.lang.Thread.State: WAITING (on object monitor)
    at java.lang.Object.wait(java.base@17.0.9/Native Method)
    at java.lang.Thread.join(java.base@17.0.9/Thread.java:1304)
    - locked <0x00000000fde> (a java.lang.Thread)
    at Deadlock.main(Deadlock.java:21)

"a "daemon" #9 daemon prio=5 os_prio=0 tid=0x00007f nid=0x1e waiting for monitor entry  [0x1]
    at Deadlock.writes(Deadlock.java:8)
    - waiting to lock <0x00000000fde> (a java.lang.Object)

"Signal Dispatcher" #4 daemon prio=9 os_prio=0 tid=0x00007f nid=0x3039 runnable
"broken
"also broken" nid=
    at nowhere
JNI global refs: 7, weak refs: 0
)J",
                        process));
  EXPECT_EQ(process.threads[0].id, 27) << "the program's main thread is not the process's first";
  EXPECT_THAT(process.threads[0].frames,
              ElementsAre(Frame{"java.lang.Object.wait", ""},
                          Frame{"java.lang.Thread.join", "Thread.java", 1304},
                          Frame{"Deadlock.main", "Deadlock.java", 21}));
  EXPECT_EQ(process.threads[2].name, "a \"daemon");
  EXPECT_THAT(process.threads[2].frames, ElementsAre(Frame{"Deadlock.writes", "Deadlock.java", 8}));
  ReportReader reader;
  reader.take(process_line(java()) + frames_line(process));
  EXPECT_EQ(reader.report().processes[0].threads[0].frames, process.threads[0].frames);

  // Java 21 prints nid in decimal; and here main() is over.
  Process later = java();
  ASSERT_TRUE(read_java(R"J("Reference Handler" #9 [30] daemon prio=10 tid=0x1 nid=30 waiting
    at java.lang.ref.Reference.run(java.base@21/Reference.java:1)
"worker-1" #20 [31] prio=5 os_prio=0 tid=0x1 nid=31 waiting on condition  [0x1]
    at com.acme.Loader.next(app//Loader.java:77)
"DestroyJavaVM" #21 [27] prio=5 os_prio=0 tid=0x1 nid=27 waiting on condition  [0x1]
)J",
                        later));
  EXPECT_EQ(later.threads[0].id, 31);
  EXPECT_EQ(place_of(later.threads[0]), "com.acme.Loader.next (Loader.java:77)");
  EXPECT_FALSE(read_java("Cannot do that", later));
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
  EXPECT_THAT(
      suspect.evidence,
      StartsWith("worker:3 waits in barrier, called by <module> (train.py:60); the others are in "
                 "another call, and neither ends before all ranks of its process group make it\n"));
}

TEST(Suspect, OfTwoInDifferentCollectivesIsAGuess) {
  EXPECT_EQ(suspect_of(gang(2, 1, python({kBarrier, kModule}))).sure, job::Sureness::Unsure);
}

TEST(Suspect, AmongEqualsIsTheOneAtAnotherStep) {
  std::vector<Subject> subjects = gang(4, -1, {});
  for (Subject& subject : subjects) {
    subject.step = 42;
  }
  EXPECT_EQ(suspect_of(subjects).sure, job::Sureness::Unsure);
  subjects[2].step = 41;
  EXPECT_EQ(suspect_of(subjects).subject, 2U);
  EXPECT_EQ(suspect_of(subjects).sure, job::Sureness::Likely);
  EXPECT_THAT(suspect_of(subjects).evidence,
              StartsWith("steps reported: worker:0-1, worker:3 at 42, worker:2 at 41\n"
                         "worker:0-3 wait in all_reduce"));
  subjects[2].step = 43;
  EXPECT_EQ(suspect_of(subjects).subject, 2U) << "it has left a call out";
  subjects[3].step = 43;
  EXPECT_EQ(suspect_of(subjects).sure, job::Sureness::Unsure) << "two are at each";
  EXPECT_THAT(suspect_of(subjects).evidence, HasSubstr("steps reported: worker:2-3 at 43"));
  subjects[3].step.reset();
  EXPECT_THAT(suspect_of(subjects).evidence, Not(HasSubstr("steps reported"))) << "one tells none";
}

TEST(Suspect, AtAnotherStepIsNotNamedWhereStacksTellMore) {
  std::vector<Subject> subjects = gang(3, 0, python({kLoad}, "read"));
  subjects[0].step = 42;
  subjects[1].step = 42;
  subjects[2].step = 41;
  EXPECT_EQ(suspect_of(subjects).subject, 0U);
  EXPECT_THAT(
      suspect_of(subjects).evidence,
      HasSubstr("in load (train.py:12)\nsteps reported: worker:0-1 at 42, worker:2 at 41\n"));
}

TEST(Suspect, InAnotherLineOfTheSameCallOrInAMessageIsNotToldToDiffer) {
  const Frame receive{"recv", "/env/site-packages/torch/distributed/distributed_c10d.py", 2093};
  for (const Process& other : {python({kAllReduce, kModule}), python({receive, kModule})}) {
    EXPECT_THAT(suspect_of(gang(4, 3, other)).evidence, Not(HasSubstr("another call")));
  }
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

TEST(Suspect, ThatReadsAPipeIsNamedWithTheChildThatCannotWrite) {
  Subject subject = task(0, python({kLoad, kModule}, "read"));
  subject.report.processes[1].threads[0].target = "a pipe";
  EXPECT_EQ(suspect_of(std::vector{subject}).place, "load (train.py:12)");
  Process child = python({{"warn", "/user/rows.py", 7}}, "write");
  child.pid = child.threads[0].id = 20;
  child.parent = 10;
  child.threads[0].target = "a pipe";
  subject.report.processes.push_back(child);
  const Suspect suspect = suspect_of(std::vector<Subject>{subject});
  EXPECT_EQ(suspect.place, "warn (rows.py:7)");
  EXPECT_THAT(suspect.evidence,
              StartsWith("worker:0 reads from a pipe in load (train.py:12); its child process 20 "
                         "writes to a pipe in warn (rows.py:7)\n"));
}

TEST(Suspect, ThatWritesToAPipeIsNamedWithTheChildThatDoesNotRead) {
  Process main = python({{"feed", "/user/train.py", 26}, kModule}, "write");
  main.threads[0].target = "a pipe";
  Process child{.pid = 12, .parent = 10, .command = "sleep 100000"};
  child.threads.push_back({.id = 12, .name = "sleep", .state = 'S', .system_call = "nanosleep"});
  std::vector<Subject> subjects = {task(0, main)};
  subjects[0].report.processes.push_back(child);
  const Suspect suspect = suspect_of(subjects);
  EXPECT_EQ(suspect.place, "feed (train.py:26)");
  EXPECT_THAT(suspect.evidence,
              StartsWith("worker:0 writes to a pipe in feed (train.py:26); its child process 12 "
                         "sleeps in `sleep 100000`"));
}

TEST(Suspect, IsNamedWithItsThreadThatCannotWrite) {
  // Like a process that cannot end because nobody reads its multiprocessing.Queue.
  Process main =
      python({{"join", "/usr/lib/python3.11/threading.py", 1119}, {"work", "/user/train.py", 26}},
             "futex");
  main.threads.push_back(
      {.id = 11,
       .name = "QueueFeederThread",
       .state = 'S',
       .system_call = "write",
       .target = "a pipe",
       .frames = {{"_send", "/usr/lib/python3.11/multiprocessing/connection.py", 384},
                  {"_feed", "/usr/lib/python3.11/multiprocessing/queues.py", 270},
                  {"_bootstrap", "/usr/lib/python3.11/threading.py", 995}}});
  EXPECT_THAT(suspect_of(std::vector<Subject>{task(0, main)}).evidence,
              HasSubstr("; its thread QueueFeederThread writes to a pipe in _send"));
}

/// Tasks of one host, all of which wait for a file lock that the process `holder` holds, except
/// worker:`odd`, which is in `other`; the processes have ids of their own.
std::vector<Subject> lock_waiters(int size, int odd, const Process& other, int32_t holder) {
  std::vector<Subject> subjects;
  for (int i = 0; i < size; ++i) {
    Process process = i == odd ? other : python({{"write", "/user/train.py", 8}, kModule}, "fcntl");
    process.pid = 100 + i;
    if (i != odd) {
      process.threads[0].awaits = holder;
      process.threads[0].target = "/data/index, which process 101 (python3) holds";
    }
    subjects.push_back(task(i, process));
    subjects.back().host = "h1";
  }
  return subjects;
}

TEST(Suspect, IsTheOneThatHoldsTheFileLock) {
  const Process asleep = python({kLoad, kModule});
  const Suspect suspect = suspect_of(lock_waiters(2, 1, asleep, 101));
  EXPECT_EQ(suspect.subject, 1U);
  EXPECT_EQ(suspect.sure, job::Sureness::Likely);
  EXPECT_EQ(suspect.place, "load (train.py:12)");
  EXPECT_THAT(suspect.evidence,
              StartsWith("worker:1 waits in load (train.py:12); worker:1 holds the lock that "
                         "worker:0 waits for\nworker:0 waits for the lock of /data/index, which "
                         "process 101 (python3) holds in write (train.py:8)\n"));
  EXPECT_EQ(suspect_of(lock_waiters(4, 2, asleep, 102)).subject, 2U);
  EXPECT_THAT(suspect_of(lock_waiters(4, 2, asleep, 102)).evidence,
              HasSubstr("worker:2 holds the lock that worker:0-1, worker:3 wait for"));
}

TEST(Suspect, HoldsTheFileLockEvenIfItWaitsForTheOthers) {
  const Process waits = python({kAllReduce, kStep, kModule});
  EXPECT_EQ(suspect_of(lock_waiters(4, 2, waits, 102)).subject, 2U);
}

TEST(Suspect, IsTheOneThatWaitsWhereSomebodyElseHoldsTheLock) {
  const Process waits = python({kAllReduce, kStep, kModule});
  EXPECT_EQ(suspect_of(lock_waiters(2, 1, waits, 7)).subject, 0U) << "no task";
  std::vector<Subject> elsewhere = lock_waiters(2, 1, waits, 101);
  elsewhere[1].host = "h2";
  EXPECT_EQ(suspect_of(elsewhere).subject, 0U) << "another host has processes of that number";
  elsewhere[0].host = elsewhere[1].host = "";
  EXPECT_EQ(suspect_of(elsewhere).subject, 0U);
}

TEST(Suspect, MayWaitInACircleOfLocks) {
  std::vector<Subject> subjects = lock_waiters(2, -1, {}, 101);
  subjects[1].report.processes[1].threads[0].awaits = 100;
  const Suspect suspect = suspect_of(subjects);
  EXPECT_THAT(suspect.evidence, HasSubstr("holds the lock that"));
}

/// Its child process writes, and it waits for that to end.
Subject unread(int32_t awaits) {
  Subject subject = task(0, python({{"wait", "/usr/lib/python3.11/subprocess.py", 1264},
                                    {"convert", "/user/train.py", 7},
                                    kModule},
                                   "wait4"));
  Process child{.pid = 12, .parent = 10, .command = "ffmpeg -i film.mp4 -"};
  child.threads.push_back({.id = 12,
                           .name = "ffmpeg",
                           .state = 'S',
                           .system_call = "write",
                           .target = "a pipe",
                           .awaits = awaits});
  subject.report.processes.push_back(child);
  return subject;
}

TEST(Suspect, ThatWaitsForAChildWhoseOutputItDoesNotReadIsTold) {
  const std::string_view words =
      "; process 12 writes to a pipe that only process 10 could read, which waits for a child "
      "process to end";
  std::vector<Subject> subjects = {unread(10)};
  EXPECT_THAT(suspect_of(subjects).evidence, HasSubstr(words));
  EXPECT_THAT(to_text(subjects), HasSubstr(words));
  subjects[0].report.processes[1].threads.push_back(
      {.id = 11, .name = "reader", .state = 'S', .system_call = "read", .target = "a pipe"});
  EXPECT_THAT(suspect_of(subjects).evidence, Not(HasSubstr("could read")));
  subjects = {unread(0)};
  EXPECT_THAT(suspect_of(subjects).evidence, Not(HasSubstr("could read")));
  subjects = {unread(9)};
  EXPECT_THAT(suspect_of(subjects).evidence, HasSubstr("only process 9 could read"))
      << "the shell that started both";
}

TEST(Suspect, IsNamedWithTheScriptThatStartedIt) {
  Process shell{.pid = 9, .parent = 1, .command = "sh /user/poll.sh"};
  shell.threads.push_back({.id = 9, .name = "sh", .state = 'S', .system_call = "wait4"});
  Process sleep{.pid = 10, .parent = 9, .command = "sleep 2"};
  sleep.threads.push_back({.id = 10, .name = "sleep", .state = 'S', .system_call = "nanosleep"});
  const std::vector<Subject> subjects = {
      {.task = "worker:0", .host = "h0", .report = {.processes = {shell, sleep}}}};
  EXPECT_THAT(suspect_of(subjects).evidence,
              StartsWith("worker:0 sleeps in `sleep 2`, run by `sh /user/poll.sh`"));
}

TEST(Suspect, IsOnlyIdleWhereAllSleepForLong) {
  const auto sleeper = [](uint32_t seconds) {
    Process process = python({kLoad, kModule}, "clock_nanosleep");
    process.threads[0].sleeps_s = seconds;
    return process;
  };
  const Suspect alone = suspect_of(gang(1, 0, sleeper(290)));
  EXPECT_EQ(alone.sure, job::Sureness::Sign);
  EXPECT_THAT(alone.evidence,
              StartsWith("worker:0 sleeps in load (train.py:12), for 4 min 50 s more\n"));
  std::vector<Subject> got_on = gang(1, 0, sleeper(290));
  got_on[0].got_on = true;
  EXPECT_EQ(suspect_of(got_on).sure, job::Sureness::Unsure) << "it did something before";
  std::vector<Subject> all;
  for (int i = 0; i < 3; ++i) {
    all.push_back(task(i, sleeper(290)));
  }
  EXPECT_EQ(suspect_of(all).sure, job::Sureness::Sign);
  EXPECT_EQ(suspect_of(gang(3, 1, sleeper(290))).sure, job::Sureness::Certain)
      << "others wait for it";
  all[1] = task(1, python({kStep, kModule}, "read"));
  EXPECT_THAT(suspect_of(all).evidence, StartsWith("worker:1 reads"));
  EXPECT_GT(suspect_of(all).sure, job::Sureness::Sign);
}

TEST(Suspect, IsOnlyIdleWhereNobodyHasToldItAnything) {
  const Frame wait{"wait", "/usr/lib/python3.11/threading.py", 327};
  const Frame flag{"wait", "/usr/lib/python3.11/threading.py", 629};
  EXPECT_EQ(suspect_of(gang(1, 0, python({wait, flag, kModule}))).sure, job::Sureness::Sign);
  const Frame map{"Pool.map", "/usr/lib/python3.11/multiprocessing/pool.py", 765};
  EXPECT_EQ(suspect_of(gang(1, 0, python({wait, flag, map, kModule}))).sure, job::Sureness::Likely)
      << "its workers bring it nothing";
  const Frame get{"get", "/usr/lib/python3.11/queue.py", 171};
  EXPECT_EQ(suspect_of(gang(1, 0, python({wait, get, kModule}))).sure, job::Sureness::Likely);
  Process prompt = python({}, "read");
  prompt.command = "python3 -i";
  EXPECT_EQ(suspect_of(gang(1, 0, prompt)).sure, job::Sureness::Sign);
  prompt.command = "python3 train.py";
  EXPECT_NE(suspect_of(gang(1, 0, prompt)).sure, job::Sureness::Sign);
  Process shell{.pid = 10, .parent = 9, .command = "bash"};
  shell.threads.push_back({.id = 10, .name = "bash", .state = 'S', .system_call = "read"});
  EXPECT_EQ(suspect_of(gang(1, 0, shell)).sure, job::Sureness::Sign);
  shell.command = "bash -c read line < /data/fifo";
  EXPECT_EQ(suspect_of(gang(1, 0, shell)).sure, job::Sureness::Likely);
}

TEST(Suspect, IsOnlyIdleWhereItWaitsForInput) {
  Process reader = python({kLoad, kModule}, "read");
  Thread& thread = reader.threads[0];
  thread.target = "/user/commands";
  thread.input = true;
  Suspect suspect = suspect_of(gang(1, 0, reader));
  EXPECT_EQ(suspect.sure, job::Sureness::Sign);
  EXPECT_THAT(suspect.evidence,
              StartsWith("worker:0 waits for input from /user/commands in load (train.py:12); "
                         "nobody has written there yet\n"));
  std::vector<Subject> got_on = gang(1, 0, reader);
  got_on[0].got_on = true;
  EXPECT_EQ(suspect_of(got_on).sure, job::Sureness::Sign) << "its last command is done";
  thread.input = false;
  suspect = suspect_of(gang(1, 0, reader));
  EXPECT_EQ(suspect.sure, job::Sureness::Sign);
  EXPECT_THAT(suspect.evidence, StartsWith("worker:0 reads from /user/commands in load"));
  got_on = gang(1, 0, reader);
  got_on[0].got_on = true;
  EXPECT_EQ(suspect_of(got_on).sure, job::Sureness::Likely) << "its rows used to come";
  EXPECT_EQ(suspect_of(gang(2, 1, reader)).sure, job::Sureness::Certain) << "others wait for it";
  std::vector<Subject> mixed = gang(2, 0, reader);
  mixed[1] = task(1, python({kStep, kModule}, "futex"));
  EXPECT_GT(suspect_of(mixed).sure, job::Sureness::Sign) << "one may wait for the other";
  thread.wait_channel = "request_wait_answer";
  EXPECT_EQ(suspect_of(gang(1, 0, reader)).sure, job::Sureness::Likely)
      << "of a file system that does not answer";
  thread.wait_channel = "";
  thread.input = true;
  thread.target = "a pipe";
  EXPECT_EQ(suspect_of(gang(1, 0, reader)).sure, job::Sureness::Likely)
      << "from a process that should have written";
  thread.state = 'D';
  thread.target = "/user/commands";
  EXPECT_EQ(suspect_of(gang(1, 0, reader)).sure, job::Sureness::Likely);
  Process shell{.pid = 10, .parent = 9, .command = "sh -c python3 train.py < commands"};
  shell.threads.push_back({.id = 10, .name = "sh", .state = 'S', .system_call = "openat"});
  EXPECT_EQ(suspect_of(gang(1, 0, shell)).sure, job::Sureness::Sign);
}

/// Checks again and again, and sleeps in between.
Process looks_again() {
  Process process = python({kLoad, kModule}, "clock_nanosleep");
  process.threads[0].sleeps_s = 2;
  return process;
}

/// Waits for an event with a time limit.
Process waits_a_while(std::vector<Frame> frames, std::string call) {
  Process process = python(std::move(frames), std::move(call));
  process.reachable = false;
  process.threads[0].timed = true;
  return process;
}

const Frame kConnect{"create_connection", "/usr/lib/python3.11/socket.py", 836};

TEST(Suspect, IsOnlyIdleWhereItAsksForSomethingOutsideTheJob) {
  const Process looks = looks_again();
  const Suspect suspect = suspect_of(gang(1, 0, looks));
  EXPECT_EQ(suspect.sure, job::Sureness::Sign);
  EXPECT_THAT(suspect.evidence, StartsWith("worker:0 sleeps in load (train.py:12); it keeps "
                                           "asking for something outside the job\n"));
  std::vector<Subject> got_on = gang(1, 0, looks);
  got_on[0].got_on = true;
  EXPECT_EQ(suspect_of(got_on).sure, job::Sureness::Unsure) << "it stands still";
  EXPECT_EQ(suspect_of(gang(3, 1, looks)).sure, job::Sureness::Certain) << "others wait for it";

  const Process connects = waits_a_while({kConnect, kLoad, kModule}, "poll");
  EXPECT_EQ(suspect_of(gang(1, 0, connects)).sure, job::Sureness::Sign);
  EXPECT_EQ(suspect_of(gang(1, 0, python({kLoad, kModule}, "connect"))).sure, job::Sureness::Sign);
  const Frame receive{"readinto", "/usr/lib/python3.11/socket.py", 706};
  EXPECT_EQ(suspect_of(gang(1, 0, waits_a_while({receive, kLoad, kModule}, "poll"))).sure,
            job::Sureness::Sign);
  EXPECT_EQ(suspect_of(gang(1, 0, python({receive, kLoad, kModule}, "recvfrom"))).sure,
            job::Sureness::Likely)
      << "no time ends it";
  const std::vector<Frame> loop = {
      {"select", "/usr/lib/python3.11/selectors.py", 468},
      {"_run_once", "/usr/lib/python3.11/asyncio/base_events.py", 1884},
      kModule};
  Process waits = waits_a_while(loop, "epoll_wait");
  EXPECT_EQ(suspect_of(gang(1, 0, waits)).sure, job::Sureness::Sign);
  waits.threads[0].timed = false;
  EXPECT_EQ(suspect_of(gang(1, 0, waits)).sure, job::Sureness::Likely) << "nothing wakes it";
}

TEST(Suspect, IsOnlyIdleWhereAllAskForTheSame) {
  const Process looks = looks_again();
  std::vector<Subject> all = gang(2, 1, looks);
  all[0] = task(0, waits_a_while({kConnect, kLoad, kModule}, "poll"));
  EXPECT_EQ(suspect_of(all).sure, job::Sureness::Sign);
  all[0].report.processes[1].threads[0].frames[1] = kStep;
  EXPECT_GT(suspect_of(all).sure, job::Sureness::Sign);
  all[0] = task(0, python({kStep, kModule}));
  EXPECT_GT(suspect_of(all).sure, job::Sureness::Sign);
}

TEST(Suspect, IsOnlyIdleWhereItsThreadOrChildAsksForIt) {
  Process joins = python({{"join", "/usr/lib/python3.11/threading.py", 1119}, kModule});
  joins.threads.push_back({.id = 11,
                           .name = "watcher",
                           .state = 'S',
                           .system_call = "clock_nanosleep",
                           .sleeps_s = 3,
                           .frames = {kLoad}});
  EXPECT_EQ(suspect_of(gang(1, 0, joins)).sure, job::Sureness::Sign);
  joins.threads[1].system_call = "futex";
  joins.threads[1].sleeps_s = {};
  EXPECT_GT(suspect_of(gang(1, 0, joins)).sure, job::Sureness::Sign);

  Subject parent = task(0, python({kLoad, kModule}, "wait4"));
  parent.report.processes.push_back({.pid = 20, .parent = 10, .command = "sleep 5"});
  parent.report.processes.back().threads.push_back(
      {.id = 20, .name = "sleep", .state = 'S', .system_call = "clock_nanosleep", .sleeps_s = 5});
  EXPECT_EQ(suspect_of(std::vector{parent}).sure, job::Sureness::Sign);
  parent.report.processes.back().threads[0].sleeps_s = {};
  parent.report.processes.back().threads[0].system_call = "flock";
  EXPECT_GT(suspect_of(std::vector{parent}).sure, job::Sureness::Sign);
}

TEST(Suspect, IsOnlyIdleWhereItWatchesFiles) {
  Process watches = python({kLoad, kModule}, "read");
  watches.threads[0].target = "anon_inode:inotify";
  EXPECT_EQ(suspect_of(gang(1, 0, watches)).sure, job::Sureness::Sign);
  Process tail{.pid = 10, .parent = 9, .command = "tail -F /var/log/rows", .reachable = false};
  tail.threads.push_back({.id = 10, .name = "tail", .state = 'S', .system_call = "poll"});
  EXPECT_EQ(suspect_of(gang(1, 0, tail)).sure, job::Sureness::Sign);
  Process java{.pid = 10, .parent = 9, .command = "java Watch", .java = true};
  java.threads.push_back({.id = 10, .name = "main", .state = 'S', .system_call = "futex"});
  java.threads[0].frames = {
      {"jdk.internal.misc.Unsafe.park", "Unsafe.java", 0},
      {"sun.nio.fs.AbstractWatchService.take", "AbstractWatchService.java", 118},
      {"Watch.main", "Watch.java", 5}};
  EXPECT_EQ(suspect_of(gang(1, 0, java)).sure, job::Sureness::Sign);
  java.threads[0].frames[1] = {"java.util.concurrent.CountDownLatch.await", "CountDownLatch.java",
                               230};
  EXPECT_GT(suspect_of(gang(1, 0, java)).sure, job::Sureness::Sign);
}

TEST(Suspect, IsOnlyIdleWhereAScriptSleepsForSecondsInBetween) {
  Process sleep{.pid = 10, .parent = 9, .command = "sleep 5"};
  sleep.threads.push_back(
      {.id = 10, .name = "sleep", .state = 'S', .system_call = "clock_nanosleep", .sleeps_s = 5});
  EXPECT_EQ(suspect_of(gang(1, 0, sleep)).sure, job::Sureness::Sign);
  sleep.threads[0].sleeps_s = 0;
  EXPECT_EQ(suspect_of(gang(1, 0, sleep)).sure, job::Sureness::Unsure);
}

TEST(Suspect, InJavaIsNamedWithTheThreadsThatItWaitsFor) {
  const Frame join{"java.lang.Thread.join", "Thread.java", 1304};
  const auto java = [&](std::vector<Frame> other, std::string call) {
    Process process{.pid = 10, .parent = 9, .command = "java Deadlock", .java = true};
    process.threads.push_back(
        {.id = 11,
         .name = "main",
         .state = 'S',
         .system_call = "futex",
         .frames = {
             Frame{"java.lang.Object.wait", ""}, join, {"Deadlock.main", "Deadlock.java", 21}}});
    process.threads.push_back({.id = 12,
                               .name = "writer",
                               .state = 'S',
                               .system_call = std::move(call),
                               .frames = std::move(other)});
    return process;
  };
  const Frame park{"java.util.concurrent.locks.LockSupport.park", "LockSupport.java", 211};
  const Frame writes{"Deadlock.writes", "Deadlock.java", 8};
  const Suspect suspect = suspect_of(gang(1, 0, java({park, writes}, "futex")));
  EXPECT_EQ(suspect.sure, job::Sureness::Likely);
  EXPECT_EQ(suspect.place, "Deadlock.writes (Deadlock.java:8)");
  EXPECT_THAT(suspect.evidence,
              StartsWith("worker:0 waits in Deadlock.main (Deadlock.java:21); its "
                         "thread writer waits in Deadlock.writes "
                         "(Deadlock.java:8)\n"));
  // A server is no suspect, and a sleeper may ask again.
  Process server = java({Frame{"sun.nio.ch.Net.accept", ""}}, "accept");
  server.threads[1].takes = true;
  EXPECT_FALSE(find_suspect(gang(1, 0, server)));
  Process sleeper = java({park}, "futex");
  sleeper.threads[0].frames = {Frame{"java.lang.Thread.sleep", ""},
                               {"Deadlock.main", "Deadlock.java", 9}};
  EXPECT_EQ(suspect_of(gang(1, 0, sleeper)).sure, job::Sureness::Sign);
  std::vector<Subject> got_on = gang(1, 0, sleeper);
  got_on[0].got_on = true;
  EXPECT_EQ(suspect_of(got_on).sure, job::Sureness::Unsure);
  // A running thread may well be computing: nothing is known of its variables.
  Thread busy{.state = 'R', .frames = {writes}};
  EXPECT_TRUE(is_computing(busy));
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

TEST(Suspect, IsNamedWithTheThreadsThatItWaitsFor) {
  const Frame join{"Thread.join", "/usr/lib/python3.11/threading.py", 1112};
  const Frame bootstrap{"Thread._bootstrap", "/usr/lib/python3.11/threading.py", 995};
  const Frame wait{"Condition.wait", "/usr/lib/python3.11/threading.py", 320};
  Process process = python({join, kModule});
  const auto add = [&](std::string name, std::vector<Frame> frames) {
    process.threads.push_back({.id = static_cast<int32_t>(10 + process.threads.size()),
                               .name = std::move(name),
                               .state = 'S',
                               .system_call = "futex",
                               .frames = std::move(frames)});
  };
  add("feeder", {wait, bootstrap});
  add("consumer", {wait, {"consume", "/user/train.py", 50}, bootstrap});
  add("writer", {kLoad, bootstrap});
  add("reader", {kStep, bootstrap});
  const Suspect suspect = suspect_of(gang(1, 0, process));
  EXPECT_EQ(suspect.place, "load (train.py:12)");
  EXPECT_THAT(
      suspect.evidence,
      StartsWith("worker:0 waits in <module> (train.py:60); its thread writer waits in load "
                 "(train.py:12); its thread reader waits in step (train.py:31)\n"));
}

TEST(Suspect, IsNamedWithTheChildProcessThatItWaitsFor) {
  const Frame start{"BaseProcess._bootstrap", "/usr/lib/python3.11/multiprocessing/process.py",
                    314};
  const Frame loop{"_worker_loop", "/env/site-packages/torch/utils/data/_utils/worker.py", 302};
  const Frame get{"Queue.get", "/usr/lib/python3.11/multiprocessing/queues.py", 113};
  std::vector<Subject> subjects = gang(4, 1, python({get, kStep, kModule}, "poll"));
  Process idle = python({get, loop, start, kStep, kModule}, "poll");
  Process stuck = python({kLoad, loop, start, kStep, kModule}, "read");
  idle.pid = 20;
  stuck.pid = 21;
  subjects[1].report.processes.push_back(std::move(idle));
  subjects[1].report.processes.push_back(std::move(stuck));
  const Suspect suspect = suspect_of(subjects);
  EXPECT_EQ(suspect.subject, 1U);
  EXPECT_EQ(suspect.place, "load (train.py:12)");
  EXPECT_THAT(suspect.evidence,
              StartsWith("worker:1 waits in step (train.py:31); its child process "
                         "21 reads in load (train.py:12)\n"));
}

TEST(StackGroups, TellWhatALauncherHasStarted) {
  Process launcher = python({{"run", "/env/torch/distributed/elastic/agent/server/api.py", 860},
                             {"<module>", "/env/bin/torchrun", 8}},
                            "clock_nanosleep");
  launcher.pid = 5;
  Process tracker =
      python({{"main", "/usr/lib/python3.11/multiprocessing/resource_tracker.py", 3}});
  tracker.pid = 6;
  const Report report{.processes = {launcher, tracker, python({kLoad, kModule})}};
  EXPECT_EQ(telling_of(report).process->pid, 10);
}

TEST(StackGroups, KnowTheSourcesOfTheCLibrary) {
  const auto is_own = [](std::string file) {
    return is_in_own_code({.id = 10, .frames = {{"put", std::move(file), 12}}});
  };
  EXPECT_FALSE(is_own("./libio/fileops.c"));
  EXPECT_FALSE(is_own("../sysdeps/unix/sysv/linux/write.c"));
  EXPECT_FALSE(is_own("/usr/include/c++/12/thread"));
  EXPECT_TRUE(is_own("./src/queue.c"));
  EXPECT_TRUE(is_own("../io/queue.cc"));
  EXPECT_TRUE(is_own("io/queue.c"));
  EXPECT_TRUE(is_own("./io"));
}

TEST(StackGroups, LeaveNativeFramesOfPythonOut) {
  std::vector<Subject> subjects = gang(3, -1, {});
  for (size_t i = 0; i < subjects.size(); ++i) {
    std::vector<Frame>& frames = subjects[i].report.processes[1].threads[0].frames;
    frames.insert(frames.begin(), {"0x7f" + std::to_string(i), "/lib/libtorch_cpu.so", 0});
  }
  EXPECT_EQ(group(subjects).size(), 1U);
  EXPECT_TRUE(group(subjects)[0].waits_for_peers);
}

TEST(StackGroups, NameWhoHasPythonsLock) {
  Process process = python({{"count", "/user/train.py", 8}, kModule});
  process.threads[0].brief = true;
  process.threads.push_back({.id = 11,
                             .name = "feature",
                             .state = 'R',
                             .holds_gil = true,
                             .frames = {{"spin", "/user/train.py", 3}}});
  std::vector<Subject> subjects = {task(0, process)};
  const std::string text = to_text(subjects);
  EXPECT_THAT(text, HasSubstr("worker:0 on h0 waits for Python's lock (GIL) in count (train.py:8); "
                              "its thread feature computes in spin (train.py:3)"));
  EXPECT_THAT(text, HasSubstr("feature (R, holds the GIL)"));
  subjects[0].report.processes[1].threads[0].brief = false;
  EXPECT_THAT(to_text(subjects), HasSubstr("worker:0 on h0 waits in count (train.py:8)"))
      << "it waits for a lock of its own";
  subjects[0].report.processes[1].threads[0].brief = true;
  subjects[0].report.processes[1].threads[1].holds_gil = false;
  EXPECT_THAT(to_text(subjects), HasSubstr("worker:0 on h0 waits in count (train.py:8)"));
}

TEST(StackGroups, NameWhoIsWaitedForOverTheNetwork) {
  Process reads = python({kLoad}, "recvfrom");
  reads.threads[0].target = "10.0.0.5:5432";
  Process asks = python({{"getaddrinfo", "/usr/lib/python3.11/socket.py", 962}, kLoad}, "poll");
  asks.threads[0].target = "the name server 10.0.0.2:53";
  Process connects = python({kLoad}, "connect");
  connects.threads[0].target = "10.255.0.1:80";
  EXPECT_THAT(to_text(std::vector{task(0, reads)}),
              StartsWith("worker:0 on h0 receives from 10.0.0.5:5432 in load (train.py:12)\n"));
  EXPECT_THAT(to_text(std::vector{task(0, asks)}),
              StartsWith("worker:0 on h0 waits for the name server 10.0.0.2:53 in load "
                         "(train.py:12)\n"));
  EXPECT_THAT(to_text(std::vector{task(0, connects)}),
              StartsWith("worker:0 on h0 connects to 10.255.0.1:80 in load (train.py:12)\n"));
}

TEST(StackGroups, NameWhatOneOpens) {
  Process opens = python({kLoad}, "openat", 'D');
  EXPECT_THAT(to_text(std::vector{task(0, opens)}),
              StartsWith("worker:0 on h0 opens a file in load (train.py:12) (D state)\n"));
  opens.threads[0].target = "/data/part-7";
  EXPECT_THAT(to_text(std::vector{task(0, opens)}),
              StartsWith("worker:0 on h0 opens /data/part-7 in load (train.py:12) (D state)\n"));
  Process asks = python({kLoad}, "newfstatat", 'D');
  EXPECT_THAT(to_text(std::vector{task(0, asks)}),
              StartsWith("worker:0 on h0 waits for the kernel in load"));
  asks.threads[0].target = "/data";
  EXPECT_THAT(to_text(std::vector{task(0, asks)}),
              StartsWith("worker:0 on h0 looks up /data in load (train.py:12) (D state)\n"));
}

TEST(StackGroups, NameTheDebuggerThatHasStoppedOne) {
  Process stopped = python({{"interaction", "/usr/lib/python3.11/pdb.py", 360}, kLoad}, "read");
  stopped.threads[0].target = "/dev/pts/3";
  EXPECT_THAT(to_text(std::vector{task(0, stopped)}),
              StartsWith("worker:0 on h0 waits for a command in a debugger, from /dev/pts/3 in "
                         "load (train.py:12)\n"));
}

// ---- what nobody will bring

const Frame kCondition{"wait", "/usr/lib/python3.11/threading.py", 320};
const Frame kQueueGet{"get", "/usr/lib/python3.11/queue.py", 171};
const Frame kPoolGet{"get", "/usr/lib/python3.11/multiprocessing/pool.py", 768};
const Frame kChildGet{"get", "/usr/lib/python3.11/multiprocessing/queues.py", 365};
const Frame kWorker{"worker", "/usr/lib/python3.11/multiprocessing/pool.py", 114};
const Frame kChildStart{"_bootstrap", "/usr/lib/python3.11/multiprocessing/process.py", 314};

/// Returns a child of the process that python() returns.
Process child(int32_t pid, std::vector<Frame> frames, std::string call = "read") {
  Process process = python(std::move(frames), std::move(call));
  process.pid = process.threads[0].id = pid;
  process.parent = 10;
  return process;
}

TEST(VainWait, IsForAChildThatHasEnded) {
  Process waits = python({{"put", "/usr/lib/python3.11/multiprocessing/queues.py", 88}, kLoad});
  waits.ended = {{.pid = 12, .signal = 9}, {.pid = 13, .code = 3}, {.pid = 14}};
  EXPECT_THAT(to_text(std::vector{task(0, waits)}),
              HasSubstr("; its child process 12 was killed by signal 9, its child process 13 has "
                        "ended with exit code 3, its child process 14 has ended, and it has not "
                        "noticed; no other thread or child process of its own is left to take "
                        "something out\n"));
  waits.threads[0].system_call = "wait4";
  EXPECT_THAT(to_text(std::vector{task(0, waits)}), Not(HasSubstr("noticed"))) << "it is about to";
  waits.threads[0].system_call = "futex";
  waits.threads[0].state = 'R';
  EXPECT_THAT(to_text(std::vector{task(0, waits)}), Not(HasSubstr("noticed")))
      << "it does something else";
  Process in_a_call = python({kAllReduce, kStep});
  in_a_call.ended = waits.ended;
  EXPECT_THAT(to_text(std::vector{task(0, in_a_call)}), Not(HasSubstr("noticed")));
}

TEST(VainWait, IsForAPoolOfWhichAllIsIdle) {
  Subject subject = task(0, python({kCondition, kPoolGet, kLoad}));
  subject.report.processes.push_back(child(12, {kChildGet, kWorker, kChildStart, kLoad}));
  subject.report.processes.push_back(child(13, {kChildGet, kWorker, kChildStart, kLoad}, "futex"));
  EXPECT_THAT(to_text(std::vector{subject}),
              HasSubstr("waits in load (train.py:12); all 2 workers of its pool wait for work: the "
                        "missing result was lost with a worker that was killed\n"));
  subject.report.processes.back() = child(13, {kStep, kWorker, kChildStart, kLoad}, "");
  EXPECT_THAT(to_text(std::vector{subject}), Not(HasSubstr("of its pool"))) << "one works";
}

TEST(VainWait, IsForAPoolAmongPeersToo) {
  const auto with_idle_pool = [](Subject& subject) {
    subject.report.processes[1] = python({kCondition, kPoolGet, kLoad});
    subject.report.processes.push_back(child(12, {kChildGet, kWorker, kChildStart, kLoad}));
    subject.report.processes.push_back(child(13, {kChildGet, kWorker, kChildStart, kLoad}));
  };
  std::vector<Subject> subjects = gang(8, -1, {});
  with_idle_pool(subjects[1]);
  EXPECT_THAT(suspect_of(subjects).evidence,
              StartsWith("worker:1 waits in load (train.py:12); all 2 workers of its pool wait for "
                         "work: the missing result was lost with a worker that was killed\n"));
  with_idle_pool(subjects[2]);
  const auto* const of_both =
      "; of worker:1: all 2 workers of its pool wait for work: the missing result was lost with a "
      "worker that was killed\n";
  EXPECT_THAT(suspect_of(subjects).evidence,
              StartsWith(std::string("worker:1-2 wait in load (train.py:12)") + of_both));
  EXPECT_THAT(to_text(subjects), StartsWith(std::string("2 of 8 tasks wait in load (train.py:12): "
                                                        "worker:1-2") +
                                            of_both));
}

TEST(VainWait, IsForAQueueThatNobodyFills) {
  Process gets = python({kCondition, kQueueGet, kLoad});
  Thread idle{.id = 11, .name = "pool", .state = 'S', .system_call = "futex"};
  idle.frames = {{"_worker", "/usr/lib/python3.11/concurrent/futures/thread.py", 81}};
  gets.threads.push_back(idle);
  EXPECT_THAT(to_text(std::vector{task(0, gets)}),
              HasSubstr("waits in load (train.py:12); no other thread of its own is left to put "
                        "something there\n"));
  gets.threads.back().frames = {kStep};
  EXPECT_THAT(to_text(std::vector{task(0, gets)}), Not(HasSubstr("is left"))) << "a thread works";
  const Frame consumer{"consume", "/env/site-packages/kafka/consumer.py", 9};
  gets.threads.back().frames = {consumer};
  EXPECT_THAT(to_text(std::vector{task(0, gets)}), Not(HasSubstr("is left"))) << "it may call back";
  const Frame loader{"_try_get_data", "/env/site-packages/torch/utils/data/dataloader.py", 9};
  EXPECT_THAT(to_text(std::vector{task(0, python({kCondition, kQueueGet, loader, kLoad}))}),
              Not(HasSubstr("is left")))
      << "whatever the library has for that";
  Subject of_processes = task(0, python({kChildGet, kLoad}, "read"));
  EXPECT_THAT(to_text(std::vector{of_processes}), HasSubstr("is left to put"));
  of_processes.report.processes.push_back(child(12, {kStep}));
  EXPECT_THAT(to_text(std::vector{of_processes}), Not(HasSubstr("is left")));
  of_processes.report.processes.back().command =
      "python3 -c from multiprocessing.resource_tracker import main;main(5)";
  EXPECT_THAT(to_text(std::vector{of_processes}), HasSubstr("is left to put"));
}

TEST(StackGroups, NameTheCollectorOfJava) {
  Process process{.pid = 10, .parent = 9, .command = "java Train", .java = true};
  process.threads.push_back({.id = 10, .name = "java", .state = 'S', .system_call = "futex"});
  process.threads.push_back({.id = 12, .name = "GC Thread#0", .state = 'R'});
  process.problem = "its Java frames are not known: it did not answer";
  std::vector<Subject> subjects = {task(0, process)};
  EXPECT_THAT(to_text(subjects), HasSubstr("worker:0 on h0 collects garbage in `java Train`"));
  subjects[0].report.processes[1].threads[1].state = 'S';
  EXPECT_THAT(to_text(subjects), HasSubstr("worker:0 on h0 waits in `java Train`"));
}

TEST(StackGroups, NameTheFileOfALock) {
  Process process = python({{"write", "/user/train.py", 8}, kModule}, "fcntl");
  process.threads[0].target = "/data/index, which process 812 (python3) holds";
  EXPECT_THAT(to_text(std::vector<Subject>{task(0, process)}),
              HasSubstr("waits for the lock of /data/index, which process 812 (python3) holds in "
                        "write (train.py:8)"));
}

// ---- suspects among the busy

/// Returns the same gang several times; the tasks' innermost calls change from round to round.
std::vector<std::vector<Subject>> rounds_of(int size, int odd,
                                            const std::vector<Process>& in_turn) {
  std::vector<std::vector<Subject>> rounds;
  for (size_t round = 0; round < 5; ++round) {
    rounds.push_back(gang(size, odd, in_turn[round % in_turn.size()]));
  }
  return rounds;
}

constexpr Pause kQuiet{.quiet = true, .reports = true};
constexpr Pause kBusy{.quiet = false, .reports = true};
const Frame kSpin{"wait_for_flag", "/user/train.py", 8};
const Frame kSpinNext{"wait_for_flag", "/user/train.py", 9};
const Frame kBlas{"dgemm_", "libblas.so.3.11.0", 0};

TEST(BusySuspect, IsTheOneThatSpinsWhileItsPeersWait) {
  const auto rounds =
      rounds_of(3, 1, {python({kSpin, kModule}, "", 'R'), python({kSpinNext, kModule}, "", 'R')});
  const auto suspect = find_busy_suspect(rounds, std::vector{kQuiet, kBusy, kQuiet});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->subject, 1U);
  EXPECT_EQ(suspect->sure, job::Sureness::Likely);
  EXPECT_EQ(suspect->place, "wait_for_flag (train.py:8)");
}

TEST(BusySuspect, IsTheOneAsleepWhileItsPeersWaitBusily) {
  const auto rounds = rounds_of(3, 1, {python({kLoad, kModule}, "clock_nanosleep")});
  const auto suspect = find_busy_suspect(rounds, std::vector{kBusy, kQuiet, kBusy});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->subject, 1U);
  EXPECT_EQ(suspect->sure, job::Sureness::Certain);
}

TEST(BusySuspect, IsCertainWhereItSleptAtEachLook) {
  // On a busy host small things count as life: a library's own thread, the looks themselves.
  const auto rounds = rounds_of(3, 1, {python({kLoad, kModule}, "clock_nanosleep")});
  const auto suspect = find_busy_suspect(rounds, std::vector{kQuiet, kBusy, kQuiet});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->subject, 1U);
  EXPECT_EQ(suspect->sure, job::Sureness::Certain);
}

TEST(BusySuspect, MayAskAFunctionWhetherToGoOn) {
  const Frame ready{"ready", "/user/train.py", 5};
  const auto rounds = rounds_of(
      3, 1, {python({kSpin, kModule}, "", 'R'), python({ready, kSpin, kModule}, "", 'R')});
  EXPECT_TRUE(find_busy_suspect(rounds, std::vector{kQuiet, kBusy, kQuiet}));
}

TEST(BusySuspect, IsNobodyWhoComputes) {
  const auto in_blas = rounds_of(3, 1, {python({kBlas, kLoad, kModule}, "", 'R')});
  EXPECT_FALSE(find_busy_suspect(in_blas, std::vector{kQuiet, kBusy, kQuiet}));
  const Frame forward{"forward", "/user/model.py", 7};
  const auto in_turn = rounds_of(3, 1,
                                 {python({kSpin, kStep, kModule}, "", 'R'),
                                  python({forward, kSpin, kLoad, kModule}, "", 'R')});
  EXPECT_FALSE(find_busy_suspect(in_turn, std::vector{kQuiet, kBusy, kQuiet}));
}

TEST(BusySuspect, MayPollInsideALibraryThatCarriesMessages) {
  const Frame test{"MPI_Test", "/usr/lib/libmpi.so.40", 0};
  const Frame bindings{"0x7fe5073096cd", "libtorch_python.so.1.13.0", 0};
  for (const Frame& innermost : {test, bindings}) {
    const auto rounds = rounds_of(3, 1, {python({innermost, kSpin, kModule}, "", 'R')});
    EXPECT_TRUE(find_busy_suspect(rounds, std::vector{kQuiet, kBusy, kQuiet}));
  }
}

TEST(BusySuspect, IsNobodyWhosePlaceIsUnknown) {
  const auto rounds = rounds_of(3, 1, {python({}, "", 'R')});
  EXPECT_FALSE(find_busy_suspect(rounds, std::vector{kQuiet, kBusy, kQuiet}));
}

TEST(BusySuspect, AloneIsAGuessAndOnlyOfOneThatHadSteps) {
  const auto rounds = rounds_of(1, 0, {python({kSpin, kModule}, "", 'R')});
  const auto suspect = find_busy_suspect(rounds, std::vector{kBusy});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->sure, job::Sureness::Unsure);
  EXPECT_FALSE(find_busy_suspect(rounds, std::vector{Pause{}}));
}

TEST(BusySuspect, MayWaitForAGpuThatDoesNotEnd) {
  // What py-spy reads of PyTorch on an H200: the driver has no names, and asks the clock as it
  // waits.
  const Frame clock{"clock_gettime", "[vdso]", 0};
  const Frame driver{"0x7f2a463b3b46", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.159.04", 0};
  const Frame synchronize{"synchronize", "/v/site-packages/torch/cuda/__init__.py", 1162};
  const Frame item{"step", "/user/train.py", 31};
  const std::vector<Process> looks = {python({driver, item, kModule}, "", 'R'),
                                      python({clock, driver, item, kModule}, "", 'R')};
  const auto alone = find_busy_suspect(rounds_of(1, 0, looks), std::vector{Pause{}});
  ASSERT_TRUE(alone) << "though it has told of no steps";
  EXPECT_EQ(alone->sure, job::Sureness::Likely);
  EXPECT_THAT(alone->evidence, HasSubstr("worker:0 waits for its GPU in step (train.py:31)"));
  EXPECT_TRUE(find_busy_suspect(rounds_of(1, 0, {python({synchronize, kModule}, "", 'R')}),
                                std::vector{Pause{}}))
      << "where native frames cannot be read";

  const std::vector<std::vector<Subject>> all(
      5, std::vector<Subject>{task(0, looks[0]), task(1, looks[1])});
  const auto gang = find_busy_suspect(all, std::vector{Pause{}, Pause{}});
  ASSERT_TRUE(gang);
  EXPECT_EQ(gang->sure, job::Sureness::Unsure);

  const Frame forward{"forward", "/user/model.py", 7};
  EXPECT_FALSE(
      find_busy_suspect(rounds_of(1, 0, {looks[0], python({driver, forward, kModule}, "", 'R')}),
                        std::vector{Pause{}}))
      << "it is now here, now there";
}

TEST(BusySuspect, IsNobodyWhoPrintsTheSameAgainWhileAllDoTheSame) {
  // One prints the same lines in each epoch, the others print nothing, and all sleep between steps.
  const Process step = python({kSpin, kModule}, "clock_nanosleep");
  const std::vector rounds(3, std::vector{task(0, step), task(1, step), task(2, step)});
  constexpr Pause kSilent{.quiet = true};
  EXPECT_FALSE(find_busy_suspect(rounds, std::vector{Pause{}, kSilent, kSilent}));
  EXPECT_TRUE(find_busy_suspect(rounds, std::vector{kBusy, kQuiet, kQuiet})) << "it had steps";
}

TEST(BusySuspect, IsNobodyWhoChangesItsVariables) {
  std::vector<std::vector<Subject>> rounds =
      rounds_of(3, 1, {python({kSpin, kModule}, "", 'R'), python({kSpinNext, kModule}, "", 'R')});
  const auto give = [&](uint64_t step) {
    for (size_t round = 0; round < rounds.size(); ++round) {
      rounds[round][1].report.processes[1].threads[0].variables = 1 + step * round;
    }
  };
  give(1);
  EXPECT_FALSE(find_busy_suspect(rounds, std::vector{kQuiet, kBusy, kQuiet}));
  give(0);
  EXPECT_TRUE(find_busy_suspect(rounds, std::vector{kQuiet, kBusy, kQuiet}));
}

TEST(BusySuspect, MayCountItsTriesWhileItSleeps) {
  std::vector<std::vector<Subject>> rounds =
      rounds_of(3, 1, {python({kSpin, kModule}, "clock_nanosleep")});
  for (size_t round = 0; round < rounds.size(); ++round) {
    rounds[round][1].report.processes[1].threads[0].variables = 1 + round;
  }
  EXPECT_TRUE(find_busy_suspect(rounds, std::vector{kQuiet, kBusy, kQuiet}));
}

TEST(BusySuspect, IsPlacedInPython) {
  const Frame lock{"PyThread_acquire_lock_timed", "python3.11", 0};
  const auto rounds = rounds_of(3, 1, {python({lock, kLoad, kModule})});
  EXPECT_EQ(find_busy_suspect(rounds, std::vector{kBusy, kQuiet, kBusy})->place,
            "load (train.py:12)");
}

// ---- suspects found by the examiner's programs

const Frame kSelect{"select", "/usr/lib/python3.11/selectors.py", 468};
const Frame kRunOnce{"_run_once", "/usr/lib/python3.11/asyncio/base_events.py", 1884};
const Frame kJoin{"join", "/usr/lib/python3.11/threading.py", 1119};
const Frame kServe{"serve_forever", "/usr/lib/python3.11/socketserver.py", 233};

TEST(Suspect, IsAnEventLoopOnlyWhereTheOthersWaitForIt) {
  const Process loop = python({kSelect, kRunOnce, kModule}, "epoll_wait");
  const auto suspect = find_suspect(gang(3, 1, loop));
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->subject, 1U);
  EXPECT_EQ(suspect->sure, job::Sureness::Likely);
  EXPECT_FALSE(find_suspect(std::vector{task(0, loop)}));
}

TEST(Suspect, IsNoServerThatWaitsForAClient) {
  EXPECT_FALSE(find_suspect(std::vector{task(0, python({kLoad, kModule}, "accept4"))}));
  Process serves = python({kJoin, kModule});
  serves.threads.push_back({.id = 11,
                            .name = "Thread-1",
                            .state = 'S',
                            .system_call = "poll",
                            .frames = {kSelect, kServe}});
  EXPECT_FALSE(find_suspect(std::vector{task(0, serves)}));
  // A deadlock beside a thread that serves metrics is a suspect.
  serves.threads[0].frames = {kLoad, kModule};
  EXPECT_TRUE(find_suspect(std::vector{task(0, serves)}));
}

Thread python_thread(int32_t id, std::string call, std::vector<Frame> frames) {
  return {.id = id,
          .name = "Thread-1",
          .state = 'S',
          .system_call = std::move(call),
          .frames = std::move(frames)};
}

const Frame kOwnServer{"serve", "/user/serve.py", 5};
const Frame kBootstrap{"Thread._bootstrap", "/usr/lib/python3.11/threading.py", 995};

TEST(Suspect, IsNoServerOfItsOwnMaking) {
  // Its own loop over sockets that accept whatever comes, alone or in a thread.
  Process loop = python({kSelect, kOwnServer, kModule}, "epoll_wait");
  EXPECT_TRUE(find_suspect(std::vector{task(0, loop)})) << "nobody may come to it";
  loop.threads[0].takes = true;
  EXPECT_FALSE(find_suspect(std::vector{task(0, loop)}));
  Process datagrams = python({kOwnServer, kModule}, "recvfrom");
  datagrams.threads[0].takes = true;
  EXPECT_FALSE(find_suspect(std::vector{task(0, datagrams)}));
  Process joins = python({kJoin, kModule});
  joins.threads.push_back(python_thread(11, "epoll_wait", {kSelect, kOwnServer, kBootstrap}));
  joins.threads[1].takes = true;
  EXPECT_FALSE(find_suspect(std::vector{task(0, joins)}));
  // The thread that it waits for hangs beside one that serves metrics.
  joins.threads.push_back(python_thread(12, "futex", {kLoad, kBootstrap}));
  EXPECT_TRUE(find_suspect(std::vector{task(0, joins)}));
}

TEST(Suspect, IsNoServerThatWaitsToBeTold) {
  const Frame wait{"Condition.wait", "/usr/lib/python3.11/threading.py", 320};
  const Frame event{"Event.wait", "/usr/lib/python3.11/threading.py", 622};
  const Frame get{"Queue.get", "/usr/lib/python3.11/queue.py", 171};
  EXPECT_FALSE(find_suspect(std::vector{task(0, python({kModule}, "pause"))}));
  EXPECT_FALSE(find_suspect(std::vector{task(0, python({kModule}, "rt_sigtimedwait"))}));
  Process stoppable = python({wait, event, kModule});
  stoppable.threads.push_back(python_thread(11, "poll", {kSelect, kServe, kBootstrap}));
  stoppable.threads.push_back(python_thread(12, "futex", {wait, get, kLoad, kBootstrap}));
  EXPECT_FALSE(find_suspect(std::vector{task(0, stoppable)}));
  // Its loop checks twice a second whether to go on.
  Process looks = stoppable;
  looks.threads[1] = python_thread(11, "", {kServe, kBootstrap});
  looks.threads[1].state = 'R';
  EXPECT_FALSE(find_suspect(std::vector{task(0, looks)}));
  looks.threads[1].frames.insert(looks.threads[1].frames.begin(), kLoad);
  EXPECT_TRUE(find_suspect(std::vector{task(0, looks)})) << "in its own code, called by the loop";
  // Beside a library's own server it is a deadlock, and so is a deadlock in a worker's own code.
  Process alone = stoppable;
  alone.threads[1].frames.clear();
  alone.threads[1].takes = true;
  EXPECT_TRUE(find_suspect(std::vector{task(0, alone)}));
  stoppable.threads[2].frames.erase(stoppable.threads[2].frames.begin(),
                                    stoppable.threads[2].frames.begin() + 2);
  EXPECT_TRUE(find_suspect(std::vector{task(0, stoppable)}));
}

TEST(Suspect, IsWhatAShellHasPutIntoTheBackground) {
  Process reader{.pid = 10, .parent = 9, .command = "cat queue"};
  reader.threads.push_back({.id = 10, .name = "cat", .state = 'S', .system_call = "openat"});
  Subject subject = task(0, reader);
  subject.report.processes[0].threads[0].system_call = "rt_sigsuspend";
  const auto suspect = find_suspect(std::vector{subject});
  ASSERT_TRUE(suspect);
  EXPECT_THAT(suspect->evidence, HasSubstr("in `cat queue`"));
  subject.report.processes.pop_back();
  EXPECT_FALSE(find_suspect(std::vector{subject})) << "it waits to be told";
}

TEST(Suspect, IsNoServerInAnotherLanguage) {
  Process java = python({}, "futex");
  java.python = false;
  EXPECT_TRUE(find_suspect(gang(1, 0, java)));
  java.threads.push_back({.id = 11, .name = "java", .state = 'S', .system_call = "poll"});
  EXPECT_TRUE(find_suspect(gang(1, 0, java)));
  java.threads[1].takes = true;
  EXPECT_FALSE(find_suspect(gang(1, 0, java)));
  EXPECT_TRUE(find_suspect(std::vector{task(0, java), task(1, java)})) << "their library may serve";
}

TEST(Suspect, IsAnEventLoopToWhichNobodyCanCome) {
  Process loop = python({kSelect, kRunOnce, kModule}, "epoll_wait");
  loop.reachable = false;
  const auto suspect = find_suspect(std::vector{task(0, loop)});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->sure, job::Sureness::Likely);
  EXPECT_EQ(suspect->place, "<module> (train.py:60)");
  Process native = python({}, "epoll_wait");
  native.python = false;
  EXPECT_FALSE(find_suspect(gang(1, 0, native)));
  native.reachable = false;
  EXPECT_TRUE(find_suspect(gang(1, 0, native)));
}

TEST(Suspect, HasCodeOfItsOwnOnTheCommandLine) {
  Process parent = python({{"<module>", "<string>", 7}}, "wait4");
  Process child = python({{"work", "<string>", 3}, {"<module>", "<string>", 6}}, "accept4");
  child.pid = parent.pid + 1;
  child.parent = parent.pid;
  Subject subject = task(0, parent);
  subject.report.processes.push_back(child);
  EXPECT_FALSE(find_suspect(std::vector{subject})) << "its children serve";
}

TEST(Suspect, IsNoTaskThatOnlyKeepsItsPlace) {
  Process sleep{.pid = 9, .parent = 1, .command = "sleep infinity"};
  sleep.threads.push_back({.id = 9, .name = "sleep", .state = 'S', .system_call = "pause"});
  Subject subject{.task = "worker:0", .host = "h", .report = {.processes = {sleep}}};
  EXPECT_FALSE(find_suspect(std::vector{subject}));
  subject.report.processes[0].threads[0].system_call = "clock_nanosleep";
  EXPECT_FALSE(find_suspect(std::vector{subject}));
  // A task that sleeps for a certain time waits for its end.
  subject.report.processes[0].command = "sleep 10000";
  EXPECT_TRUE(find_suspect(std::vector{subject}));
  // A shell that sleeps again and again waits for something, unless it says that it does not.
  sleep.threads[0].system_call = "clock_nanosleep";
  sleep.command = "sleep 300";
  Subject shell = task(0, sleep);
  EXPECT_TRUE(find_suspect(std::vector{shell}));
  shell.report.processes[0].command = "/bin/sh -c while true; do sleep 300; done";
  EXPECT_FALSE(find_suspect(std::vector{shell}));
  shell.report.processes[0].command = "/bin/sh -c while ! test -e x; do sleep 300; done";
  EXPECT_TRUE(find_suspect(std::vector{shell}));
}

TEST(Suspect, IsAServerThatNobodyWaitsForOnlyWhileTheKernelHoldsIt) {
  std::vector<Subject> subjects = {task(0, python({kStep, kModule}, "recvfrom")),
                                   task(1, python({kStep, kModule}, "recvfrom")),
                                   task(2, python({kLoad, kModule}, "", 'T'))};
  subjects[2].task = "ps:0";
  subjects[2].needed = false;
  const auto suspect = find_suspect(subjects);
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->subject, 2U);
  EXPECT_THAT(suspect->evidence, HasSubstr("ps:0 is stopped by a signal"));
  subjects[2].report.processes[1].threads[0].state = 'S';
  EXPECT_NE(find_suspect(subjects)->subject, 2U);
}

TEST(Suspect, IsTheOneAwayFromTheBackwardPass) {
  const Frame backward{"backward", "/usr/lib/python3/dist-packages/torch/autograd/__init__.py",
                       197};
  const auto suspect = find_suspect(
      std::vector{task(0, python({backward, kStep, kModule})), task(1, python({kLoad, kModule}))});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->subject, 1U);
  EXPECT_EQ(suspect->sure, job::Sureness::Certain);
}

TEST(Suspect, IsTheOneWhoseOwnThreadHoldsUpItsPass) {
  const Frame execute{"quick_execute", "/env/site-packages/tensorflow/python/eager/execute.py", 53};
  const Frame call{"__call__", "/env/site-packages/tensorflow/python/ops/script_ops.py", 147};
  Process held = python({execute, kStep, kModule});
  held.threads.push_back(
      {.id = 11, .name = "python3", .state = 'S', .system_call = "futex", .frames = {kLoad, call}});
  const auto suspect =
      find_suspect(std::vector{task(0, python({execute, kStep, kModule})), task(1, held)});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->subject, 1U);
  EXPECT_EQ(suspect->place, "load (train.py:12)");
}

TEST(Suspect, WaitsForAChildThatIsNamedWithIt) {
  Process parent =
      python({{"_try_wait", "/usr/lib/python3.11/subprocess.py", 1951}, kLoad, kModule}, "wait4");
  Process child{.pid = 20, .parent = 10, .command = "convert part-7"};
  child.threads.push_back(
      {.id = 20, .name = "convert", .state = 'S', .system_call = "write", .target = "a pipe"});
  Subject subject = task(0, parent);
  subject.report.processes.push_back(child);
  const auto suspect = find_suspect(std::vector{subject});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->place, "load (train.py:12)");
  EXPECT_THAT(suspect->evidence,
              HasSubstr("its child process 20 writes to a pipe in `convert part-7`"));
}

TEST(Feeding, IsASignOfLifeOfWhatTheJobWaitsFor) {
  std::vector<Subject> subjects = gang(3, 1, python({kLoad, kModule}, "recvfrom"));
  EXPECT_FALSE(is_any_fed(subjects));
  subjects[1].report.processes[1].threads[0].fed = true;
  EXPECT_TRUE(is_any_fed(subjects));
  subjects[1].needed = false;
  EXPECT_FALSE(is_any_fed(subjects));
}

TEST(Behind, LeavesOutWhatOnlyCallsItselfAlive) {
  const Frame wait{"wait", "/usr/lib/python3.11/threading.py", 622};
  const Frame beat{"beat", "/user/train.py", 3};
  const Frame start{"_bootstrap", "/usr/lib/python3.11/threading.py", 995};
  Process process = python({wait, kLoad, kModule});
  process.threads.push_back({.id = 11,
                             .name = "Thread-1",
                             .state = 'S',
                             .system_call = "clock_nanosleep",
                             .frames = {beat, start}});
  const auto suspect = find_suspect(std::vector{task(0, process)});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->place, "load (train.py:12)");
  process.threads[0].frames = {kJoin, kLoad, kModule};
  EXPECT_EQ(find_suspect(std::vector{task(0, process)})->place, "beat (train.py:3)");
}

TEST(Behind, IsWhatALibraryCallsInAThreadOfItsOwn) {
  const Frame next{"get_next", "/env/site-packages/tensorflow/python/data/ops/iterator_ops.py",
                   886};
  const Frame call{"__call__", "/env/site-packages/tensorflow/python/ops/script_ops.py", 147};
  Process process = python({next, kStep, kModule});
  process.threads.push_back(
      {.id = 11, .name = "python3", .state = 'S', .system_call = "futex", .frames = {kLoad, call}});
  const auto suspect = find_suspect(std::vector{task(0, process)});
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->place, "load (train.py:12)");
}

TEST(PySpy, TellsOfVariablesOnlyWhetherTheyChange) {
  const auto read = [](const std::string& value) {
    Process process = python({});
    EXPECT_TRUE(read_py_spy(R"J([{"thread_name":"MainThread","os_thread_id":10,"frames":[
        {"name":"f","filename":"/a.py","line":3,"locals":[{"name":"n","repr":")J" +
                                value + R"J("},{"name":"token","repr":null}]}]}])J",
                            process));
    return process.threads[0].variables;
  };
  EXPECT_EQ(read("50"), read("50"));
  EXPECT_NE(read("50"), read("51"));
}

}  // namespace
}  // namespace muster::stacks
