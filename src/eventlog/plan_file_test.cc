#include "eventlog/plan_file.h"

#include <gtest/gtest.h>

namespace muster::eventlog {
namespace {

PlanFile example() {
  PlanFile file;
  file.job_id = "digits-7f3k2q";
  file.seed = 0xFFFF'FFFF'FFFF'FFFFULL;
  file.submitted = WallTime(Duration(1'790'000'000'000'001));
  file.user = "alice \"the\" user";
  file.working_folder = "/home/alice/a b\n";
  file.python = "/usr/bin/python3";
  file.spec_json = R"({"name":"digits","roles":[{"name":"worker"}]})";
  return file;
}

TEST(PlanFile, ReadsBackWhatItWrote) {
  const Result<PlanFile> read = parse_plan_file(to_text(example()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->job_id, example().job_id);
  EXPECT_EQ(read->seed, example().seed);
  EXPECT_EQ(read->submitted, example().submitted);
  EXPECT_EQ(read->user, example().user);
  EXPECT_EQ(read->working_folder, example().working_folder);
  EXPECT_EQ(read->spec_json, example().spec_json);
}

TEST(PlanFile, NamesWhatIsWrongAtEveryCut) {
  const std::string whole = to_text(example());
  for (size_t length = 0; length + 2 < whole.size(); ++length) {
    const Result<PlanFile> read = parse_plan_file(std::string_view(whole).substr(0, length));
    ASSERT_FALSE(read) << length;
    EXPECT_EQ(read.error().code, Errc::Corrupt);
  }
  EXPECT_EQ(parse_plan_file(R"({"schema":"muster.plan/9"})").error().message,
            "plan.json is damaged: its schema is \"muster.plan/9\" instead of \"muster.plan/1\"");
}

}  // namespace
}  // namespace muster::eventlog
