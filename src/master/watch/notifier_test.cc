// Which notices a master has sent, how often it tries, and what it records.
#include "master/master_world_test.h"
#include "master/watch/notice_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace muster::master {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Gives the answers that it was given, in order, and then accepts everything. A missing answer
/// never comes.
class ScriptedSender final : public NoticeSender {
 public:
  explicit ScriptedSender(rt::Loop& loop) : loop_(loop), never_(loop) {}

  rt::Async<Status> send(job::NoticeWay way, Letter letter) override {
    sent.emplace_back(way, std::move(letter));
    times.push_back(loop_.now());
    if (hangs) {
      co_await never_.wait();
    }
    if (answers.empty()) {
      co_return Status();
    }
    Status answer = std::move(answers.front());
    answers.pop_front();
    co_return answer;
  }

  std::deque<Status> answers;
  bool hangs = false;
  std::vector<std::pair<job::NoticeWay, Letter>> sent;
  std::vector<HostTime> times;

 private:
  rt::Loop& loop_;
  rt::Event never_;
};

Result<job::Plan> told_by_command(const std::string& plan_json, const std::string& job,
                                  uint64_t seed) {
  MUSTER_TRY(job::Plan plan, two_workers(plan_json, job, seed));
  plan.spec.notify.command = "tell";
  plan.spec.notify.on = {spec::Occasion::Start, spec::Occasion::End};
  return plan;
}

struct Notices : MasterWorld {
  Notices() { first = make("m1", false, nullptr, told_by_command, {.notices = &sender}); }

  /// Returns what is known of each notice: "start delivered 1 trouble".
  static std::vector<std::string> known(const Master& master) {
    std::vector<std::string> rows;
    for (const job::NoticeTold& each : master.machine().state().chronicle.notices()) {
      rows.push_back(
          fmt::format("{} {} {} {}", each.notice, to_string(each.fate), each.tries, each.trouble));
    }
    return rows;
  }
  void end_job() {
    succeed(first->master, 0);
    succeed(first->master, 1);
    loop.run_ready();
  }
  bool ends_within(Duration limit) {
    return loop.run_until([this] { return first->end.has_value(); }, limit);
  }

  ScriptedSender sender{loop};
};

TEST_F(Notices, AreSentOnceEachAndWrittenDown) {
  run();
  loop.run_ready();
  ASSERT_EQ(sender.sent.size(), 1U);
  EXPECT_EQ(sender.sent[0].first, job::NoticeWay::Command);
  EXPECT_EQ(sender.sent[0].second.job, "pair-1");
  EXPECT_EQ(sender.sent[0].second.id, "start");
  EXPECT_EQ(sender.sent[0].second.on, "start");
  EXPECT_THAT(sender.sent[0].second.document, HasSubstr("\"pair-1\""));
  EXPECT_THAT(sender.sent[0].second.mail, HasSubstr("pair"));
  EXPECT_THAT(known(first->master), ElementsAre("start delivered 1 "));
  end_job();
  ASSERT_TRUE(ends_within(seconds(3)));
  ASSERT_EQ(sender.sent.size(), 2U);
  EXPECT_EQ(sender.sent[1].second.id, "end");
  EXPECT_THAT(known(first->master), ElementsAre("start delivered 1 ", "end delivered 1 "));
}

TEST_F(Notices, AreTriedAgainAfterAWhile) {
  sender.answers = {cluster_error("no answer"), cluster_error("busy")};
  run();
  loop.run_ready();
  EXPECT_THAT(known(first->master), ElementsAre("start failing 1 no answer"));
  ASSERT_TRUE(loop.run_until([this] { return sender.sent.size() == 3; }, seconds(10)));
  EXPECT_EQ(sender.times[1] - sender.times[0], Duration(seconds(1)));
  EXPECT_EQ(sender.times[2] - sender.times[1], Duration(seconds(2)));
  loop.run_ready();
  EXPECT_THAT(known(first->master), ElementsAre("start delivered 3 "));
}

TEST_F(Notices, AreGivenUpAtOnceWhereAnotherTryCannotHelp) {
  sender.answers = {user_error("answered with status 404")};
  run();
  loop.advance(minutes(20));
  EXPECT_EQ(sender.sent.size(), 1U);
  EXPECT_THAT(known(first->master), ElementsAre("start given_up 1 answered with status 404"));
}

TEST_F(Notices, AreTriedForTenMinutes) {
  sender.answers.resize(1000, Status(cluster_error("busy")));
  run();
  loop.advance(minutes(9));
  EXPECT_THAT(known(first->master).front(), HasSubstr("failing"));
  loop.advance(minutes(11));
  EXPECT_THAT(known(first->master).front(), HasSubstr("given_up"));
  EXPECT_LE(sender.times.back() - sender.times.front(), Duration(minutes(10)));
}

TEST_F(Notices, OfTheEndAreWaitedForButNotForLong) {
  run();
  loop.run_ready();
  sender.hangs = true;
  end_job();
  EXPECT_FALSE(ends_within(seconds(9)));
  ASSERT_TRUE(ends_within(seconds(2)));
  EXPECT_THAT(known(first->master),
              ElementsAre("start delivered 1 ", "end given_up 1 no answer before the job's end"));
}

TEST_F(Notices, AreTriedSoonerWhileTheJobEnds) {
  sender.answers.resize(6, Status(cluster_error("busy")));
  run();
  loop.advance(seconds(40));  // By now it waits for half a minute.
  const size_t before = sender.sent.size();
  sender.answers = {cluster_error("busy"), cluster_error("busy")};
  end_job();
  ASSERT_TRUE(ends_within(seconds(9)));
  EXPECT_EQ(sender.sent.size(), before + 4);
  EXPECT_THAT(known(first->master),
              ::testing::UnorderedElementsAre("start delivered 8 ", HasSubstr("end delivered 2 ")));
}

TEST_F(Notices, KeepTheLastTroubleWhereTheEndCutsThemOff) {
  run();
  loop.run_ready();
  sender.answers.resize(1000, Status(cluster_error("busy")));
  end_job();
  ASSERT_TRUE(ends_within(seconds(12)));
  EXPECT_THAT(known(first->master).back(), ::testing::StartsWith("end given_up"));
  EXPECT_THAT(known(first->master).back(), ::testing::EndsWith(" busy"));
}

TEST_F(Notices, SayTroubleInOneShortLine) {
  sender.answers = {user_error(std::string(300, 'x') + "\n" + std::string(300, 'y'))};
  run();
  loop.run_ready();
  const std::string row = known(first->master).front();
  EXPECT_EQ(row.find('\n'), std::string::npos);
  EXPECT_THAT(row, ::testing::EndsWith("y..."));
  EXPECT_LT(row.size(), 500U);
}

TEST_F(Notices, AreNotSentAgainByAnotherMaster) {
  run();
  loop.run_ready();
  kill(first);
  auto second = make("m2", false, nullptr, told_by_command, {.notices = &sender});
  ASSERT_TRUE(second->start().has_value());
  loop.advance(seconds(5));
  EXPECT_EQ(sender.sent.size(), 1U);
  EXPECT_THAT(known(second->master), ElementsAre("start delivered 1 "));
}

TEST_F(Notices, ThatWereNotTakenAreSentByTheNextMaster) {
  sender.hangs = true;
  run();
  loop.run_ready();
  kill(first);
  sender.hangs = false;
  auto second = make("m2", false, nullptr, told_by_command, {.notices = &sender});
  ASSERT_TRUE(second->start().has_value());
  loop.advance(seconds(5));
  EXPECT_EQ(sender.sent.size(), 2U);
  EXPECT_THAT(known(second->master), ElementsAre("start delivered 1 "));
}

}  // namespace
}  // namespace muster::master
