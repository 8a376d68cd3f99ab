#include "stacks/flight_record.h"

#include "stacks/collective_suspect.h"
#include "stacks/pickle.h"
#include "stacks/suspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace muster::stacks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// ---- pickles, written as torch's own pickler and Python's write them

std::string number(uint8_t value) { return std::string("K") + static_cast<char>(value); }

std::string text(std::string_view value) {
  return std::string("X") + static_cast<char>(value.size()) + std::string(3, '\0') +
         std::string(value);
}

std::string list(std::initializer_list<std::string> items) {
  std::string all = "](";
  for (const std::string& item : items) {
    all += item;
  }
  return all + "e";
}

/// Alternates keys and values.
std::string dictionary(std::initializer_list<std::string> items) {
  std::string all = "}q\x01(";
  for (const std::string& item : items) {
    all += item;
  }
  return all + "u";
}

std::string pickle(const std::string& value) { return "\x80\x02" + value + "."; }

std::string entry(uint8_t call, std::string_view state, bool alone = false) {
  return dictionary(
      {text("process_group"), "(" + text("0") + text("default_pg") + "t", text("collective_seq_id"),
       number(call), text("profiling_name"), text("nccl:all_reduce"), text("state"), text(state),
       text("is_p2p"), alone ? "\x88" : "\x89", text("duration_ms"),
       "G\x3f\xd0" + std::string(6, '\0'), text("frames"),
       list({dictionary({text("name"), text("all_reduce"), text("filename"),
                         text("/env/site-packages/torch/distributed/distributed_c10d.py"),
                         text("line"), number(7)}),
             dictionary({text("name"), text("step"), text("filename"), text("/user/train.py"),
                         text("line"), number(31)})})});
}

std::string dump(std::initializer_list<std::string> entries) {
  return pickle(dictionary({text("version"), text("2.5"), text("entries"), list(entries)}));
}

TEST(Pickle, HoldsPlainValues) {
  const std::string half("M\x00\x01", 3);
  const Result<Pickle> read = Pickle::read(
      pickle(dictionary({text("a"), "J\xfb\xff\xff\xff", text("b"), half, text("c"), "N", text("d"),
                         "\x8a\x01\xfe", text("e"), list({"h\x01", number(3) + "\x85"})})));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->find(read->root(), "a")->integer, -5);
  EXPECT_EQ(read->find(read->root(), "b")->integer, 256);
  EXPECT_EQ(read->find(read->root(), "c")->kind, Pickle::Kind::Nothing);
  EXPECT_EQ(read->find(read->root(), "d")->integer, -2);
  EXPECT_EQ(read->find(read->root(), "x"), nullptr);
  // A dictionary that contains itself is only ever looked at one step at a time.
  EXPECT_EQ(read->at(read->find(read->root(), "e")->items.front()).kind, Pickle::Kind::Dictionary);
}

TEST(Pickle, RunsNothing) {
  for (const std::string bytes :
       {"cos\nsystem\n(S'true'\ntR.", "\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
        "(S'true'\nios\nsystem\n.", "cbuiltins\neval\n.", "Ppersistent\n.", "}b."}) {
    const Result<Pickle> read = Pickle::read(bytes);
    ASSERT_FALSE(read) << bytes;
    EXPECT_THAT(read.error().message, HasSubstr("more than plain values"));
  }
}

TEST(Pickle, SurvivesAnyBytes) {
  const std::string whole = dump({entry(41, "completed"), entry(42, "started")});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Pickle::read(std::string_view(whole).substr(0, size)));
  }
  for (const std::string bytes : {"e.", "]e.", "](u.", "s.", "}(K\x01u.", "h\x05.", "q\x01.", "t.",
                                  "\x85.", "0.", "1.", "(0.",
                                  "K\x01K\x02"
                                  "a."}) {
    EXPECT_FALSE(Pickle::read(bytes)) << bytes;
  }
  // Each level doubles what the previous one holds.
  std::string bomb = "]q\x01";
  for (int i = 0; i < 60; ++i) {
    bomb += "(h\x01h\x01tq\x01";
  }
  EXPECT_TRUE(Pickle::read(bomb + "."));
}

TEST(FlightRecord, TellsHowFarARankHasCome) {
  const auto read = read_flight_record(
      dump({entry(41, "completed"), entry(42, "started"), entry(99, "started", true)}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(*read, ElementsAre(Collectives{.group = "0",
                                             .entered = 42,
                                             .completed = 41,
                                             .call = "all_reduce",
                                             .place = "step (train.py:31)"}));
  EXPECT_THAT(*read_flight_record(dump({})), IsEmpty());
  EXPECT_FALSE(read_flight_record(pickle("K\x01")));
}

// ---- who is missing

Subject in_all_reduce(int index, uint64_t entered, uint64_t completed) {
  Process process{.pid = 10, .parent = 9, .command = "python3 train.py", .python = true};
  process.threads.push_back({.id = 10,
                             .name = "MainThread",
                             .state = 'S',
                             .system_call = "futex",
                             .frames = {{"all_reduce", "/torch/distributed/distributed_c10d.py", 7},
                                        {"step", "/user/train.py", 31}}});
  Subject subject{.task = "worker:" + std::to_string(index), .host = "h1", .report = {}};
  subject.report.processes = {process};
  subject.report.collectives = {{.group = "0",
                                 .entered = entered,
                                 .completed = completed,
                                 .call = "all_reduce",
                                 .place = "step (train.py:31)"}};
  return subject;
}

/// What torch 2.8 wrote for a rank of gloo: rank 0 is in its seventh all_reduce, rank 1 elsewhere.
std::string real_dump(uint32_t rank) {
  std::ifstream file(std::filesystem::path(MUSTER_SOURCE_DIR) / "test/flight" /
                     ("torch-2.8-gloo-rank-" + std::to_string(rank) + ".pickle"));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(FlightRecord, IsReadAsTorchWritesIt) {
  EXPECT_THAT(read_flight_record(real_dump(0)).value(),
              ElementsAre(Collectives{.group = "0",
                                      .entered = 7,
                                      .completed = 6,
                                      .call = "all_reduce",
                                      .place = "step (prog.py:8)",
                                      .sizes = "[4]"}));
  EXPECT_THAT(read_flight_record(real_dump(1)).value(),
              ElementsAre(Collectives{.group = "0",
                                      .entered = 6,
                                      .completed = 6,
                                      .call = "all_reduce",
                                      .place = "step (prog.py:8)",
                                      .sizes = "[4]"}));
}

TEST(Laggard, HasNotEnteredTheCallInWhichTheOthersAre) {
  // According to their stacks all four are at the same place.
  const std::vector<Subject> subjects = {in_all_reduce(0, 42, 41), in_all_reduce(1, 42, 41),
                                         in_all_reduce(2, 41, 40), in_all_reduce(3, 42, 41)};
  const std::optional<Suspect> suspect = find_suspect(subjects);
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->subject, 2U);
  EXPECT_EQ(suspect->sure, job::Sureness::Likely);
  EXPECT_THAT(suspect->evidence,
              StartsWith("flight recorder: worker:0-1, worker:3 are in all_reduce (call 42 of "
                         "process group 0, step (train.py:31)); worker:2 never entered it: its "
                         "last was all_reduce (call 41)\n"));
}

TEST(Laggard, IsNobodyWhereAllHaveComeEquallyFarOrMostAreBehind) {
  EXPECT_FALSE(find_laggard(std::vector{in_all_reduce(0, 42, 41), in_all_reduce(1, 42, 41)}));
  EXPECT_FALSE(find_laggard(
      std::vector{in_all_reduce(0, 42, 41), in_all_reduce(1, 7, 6), in_all_reduce(2, 6, 5)}));
  // The first has finished the call, so nobody keeps it waiting.
  EXPECT_FALSE(find_laggard(std::vector{in_all_reduce(0, 42, 42), in_all_reduce(1, 41, 41)}));
  EXPECT_FALSE(find_laggard({}));
}

TEST(Laggard, IsCertainWhereItsStackAgrees) {
  std::vector<Subject> subjects = {in_all_reduce(0, 42, 41), in_all_reduce(1, 41, 41),
                                   in_all_reduce(2, 42, 41)};
  subjects[1].report.processes[0].threads[0].frames = {{"load", "/user/train.py", 12}};
  EXPECT_EQ(find_suspect(subjects)->sure, job::Sureness::Certain);
}

TEST(Laggard, IsInAnotherCallThanTheOthers) {
  std::vector<Subject> subjects = {in_all_reduce(0, 42, 41), in_all_reduce(1, 42, 41),
                                   in_all_reduce(2, 42, 41)};
  for (Subject& subject : subjects) {
    subject.report.collectives[0].sizes = "[10, 2]";
  }
  EXPECT_FALSE(find_laggard(subjects));
  subjects[1].report.collectives[0].sizes = "[12, 2]";
  std::optional<Suspect> suspect = find_suspect(subjects);
  ASSERT_TRUE(suspect);
  EXPECT_EQ(suspect->subject, 1U);
  EXPECT_EQ(suspect->sure, job::Sureness::Likely);
  EXPECT_THAT(
      suspect->evidence,
      StartsWith("flight recorder: call 42 of process group 0 is not the same on all ranks: "
                 "worker:0, worker:2 are in all_reduce of [10, 2] (step (train.py:31)), "
                 "worker:1 is in all_reduce of [12, 2] (step (train.py:31))\n"));
  // Each gives what it has.
  for (Subject& subject : subjects) {
    subject.report.collectives[0].call = "all_gather";
  }
  EXPECT_FALSE(find_laggard(subjects));
  subjects[2].report.collectives[0].call = "broadcast";
  EXPECT_EQ(find_laggard(subjects)->subject, 2U);
  subjects.erase(subjects.begin());
  EXPECT_EQ(find_laggard(subjects)->subject, std::nullopt) << "either may be wrong";
  EXPECT_THAT(find_suspect(subjects)->evidence, HasSubstr("is not the same on all ranks"));
  EXPECT_EQ(find_suspect(subjects)->sure, job::Sureness::Unsure);
}

TEST(StackReport, TellsCollectives) {
  std::vector<Collectives> sent = in_all_reduce(0, 42, 41).report.collectives;
  sent[0].sizes = "[10, 2], [4]";
  ReportReader reader;
  reader.take(collectives_line(sent) + "{\"collectives\":{\"groups\":7}}\n");
  EXPECT_EQ(reader.dropped(), 1U);
  reader = {};
  reader.take(collectives_line(sent));
  EXPECT_EQ(reader.report().collectives, sent);
}

}  // namespace
}  // namespace muster::stacks
