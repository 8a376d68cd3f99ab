#include "notice/document.h"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace muster::notice {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::map<std::string, std::string> kSecrets = {{"env.TOKEN", "hunter2-correct-horse"}};

class NoticeDocument : public ::testing::Test {
 protected:
  NoticeDocument() {
    plan.job = job::JobId("digits-1");
    plan.name = "digits";
    plan.roles.resize(1);
    plan.roles[0].name = "worker";
    plan.roles[0].tasks = 4;
    job::FirstCause cause;
    cause.attempt = {.task = {.role = job::RoleIndex(0), .index = 2}, .number = 1};
    cause.host = job::HostName("h1");
    cause.exit_code = 3;
    cause.failure.class_name = "user.traceback";
    cause.failure.evidence = "ValueError: token hunter2-correct-horse\n  File \"x\"\x1b[31m\xff";
    state.phase = job::JobPhase::Ended;
    state.outcome = job::Outcome{.result = job::JobResult::Failed,
                                 .reason = job::OutcomeReason::ProgramFailed,
                                 .class_name = "user.traceback",
                                 .message = "worker:2 ended; hunter2-correct-horse",
                                 .first_cause = cause};
    state.chronicle.end_fact(state.outcome);
    state.ended = state.started + std::chrono::seconds(90);
    context = {.now = {},
               .on = "local",
               .application_id = "",
               .page = "http://h:1/#t=key",
               .secrets = &kSecrets};
  }

  boost::json::object parsed(const Notice& notice) const {
    return boost::json::parse(document(notice, plan, state, context)).as_object();
  }

  job::Plan plan;
  job::State state;
  Context context;
  const Notice end{.id = "end", .on = spec::Occasion::End, .attempt = {}, .silent = {}};
};

TEST_F(NoticeDocument, SaysHowTheJobEnded) {
  const boost::json::object object = parsed(end);
  EXPECT_EQ(object.at("schema"), "muster.notice/1");
  EXPECT_EQ(object.at("id"), "digits-1/end");
  EXPECT_EQ(object.at("result"), "failed");
  EXPECT_EQ(object.at("exit_status"), 1);
  EXPECT_EQ(object.at("page"), "http://h:1/") << "what follows the # is a key";
  EXPECT_EQ(object.at("cause").at("task"), "worker:2");
  EXPECT_EQ(object.at("cause").at("exit_code"), 3);
  EXPECT_EQ(object.at("message"), "digits-1 failed after 1 min 30 s: worker:2 ended; ***");
}

TEST_F(NoticeDocument, HoldsNoSecretAndNoControlBytes) {
  const std::string text = document(end, plan, state, context);
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\\u001b")));
  const std::string letter = mail(end, plan, state, context, {"a@b.example", "c"});
  EXPECT_THAT(letter, Not(HasSubstr("hunter2")));
  EXPECT_THAT(letter, HasSubstr("To: a@b.example, c\nSubject: [muster] digits-1: failed\n"));
}

TEST_F(NoticeDocument, IsBounded) {
  state.outcome->message = std::string(1 << 20, '\x01');
  state.outcome->first_cause->failure.evidence = std::string(1 << 20, 'x');
  EXPECT_LT(document(end, plan, state, context).size(), size_t{64} << 10);
}

TEST_F(NoticeDocument, TellsTheFirstCauseAsEverybodyDoes) {
  const Notice first{
      .id = "first_cause", .on = spec::Occasion::FirstCause, .attempt = {}, .silent = {}};
  EXPECT_EQ(sentence(first, plan, state),
            "digits-1: worker:2 ended with exit code 3 (user.traceback)");
  job::RestartNote restart{.cause = *state.outcome->first_cause};
  restart.cause.exit_code.reset();
  restart.cause.failure.class_name = "program.stalled";
  state.chronicle = {};
  state.chronicle.restarting(restart);
  state.chronicle.end_fact(std::nullopt);
  EXPECT_EQ(sentence(first, plan, state), "digits-1: worker:2 hangs (program.stalled)");
}

TEST_F(NoticeDocument, NamesTheTaskThatStalls) {
  const Notice stall{.id = "stall:worker:3#1",
                     .on = spec::Occasion::Stall,
                     .attempt = job::AttemptId{.task = {job::RoleIndex(0), 3}, .number = 1},
                     .silent = std::chrono::minutes(10)};
  const boost::json::object object = parsed(stall);
  EXPECT_EQ(object.at("task"), "worker:3");
  EXPECT_EQ(object.at("attempt"), 1);
  EXPECT_TRUE(object.at("result").is_null());
  EXPECT_EQ(object.at("message"), "digits-1: worker:3 has done nothing for 10 min");
}

}  // namespace
}  // namespace muster::notice
