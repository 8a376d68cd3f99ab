#include "client/measure/sent_again.h"

#include "cluster/sent_files.h"
#include "testing/memory_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::client {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;

class SentAgain : public ::testing::Test {
 protected:
  cluster::JobFolder submit(const std::string& id, int64_t second,
                            std::vector<cluster::SentFile> sent,
                            const std::string& name = "digits") {
    const cluster::JobFolder job = folder(id);
    const cluster::SentFiles record{
        .job_name = name, .submitted = WallTime(std::chrono::seconds(second)), .files = sent};
    EXPECT_TRUE(files_.write(job.sent(), cluster::to_text(record), {}).has_value());
    return job;
  }

  cluster::JobFolder folder(const std::string& id) {
    const cluster::JobFolder job("/home/jobs/" + id);
    EXPECT_TRUE(files_.make_folders(job.root(), 0700).has_value());
    return job;
  }

  muster::testing::MemoryTree tree_;
  muster::testing::MemoryFiles files_{tree_};
};

TEST_F(SentAgain, CountsTheContentsOfEachFile) {
  (void)submit("digits-1", 1, {{"files/1/src.tar", "a1", 10}, {"files/2/model.bin", "m", 99}});
  (void)submit("digits-2", 2, {{"files/1/src.tar", "a2", 11}, {"files/2/model.bin", "m", 99}});
  (void)submit("other-1", 2, {{"files/1/src.tar", "o", 12}}, "other");
  const cluster::JobFolder job =
      submit("digits-3", 3, {{"files/1/src.tar", "a3", 12}, {"files/2/model.bin", "m", 99}});
  (void)submit("digits-4", 4, {{"files/1/src.tar", "a4", 13}});
  EXPECT_THAT(sent_again(files_, job),
              ElementsAre(FieldsAre("src.tar", 12, 3, 3), FieldsAre("model.bin", 99, 1, 3)));
}

TEST_F(SentAgain, LooksAtTheNewestSubmissionsOnly) {
  for (int n = 1; n <= 9; ++n) {
    (void)submit("digits-" + std::to_string(n), n, {{"files/1/src.tar", std::to_string(n), 10}});
  }
  EXPECT_THAT(sent_again(files_, folder("digits-9")), ElementsAre(FieldsAre("src.tar", 10, 5, 5)));
}

TEST_F(SentAgain, IsSilentWithoutARecordOrWithADamagedOne) {
  EXPECT_THAT(sent_again(files_, folder("digits-1")), IsEmpty());
  const cluster::JobFolder damaged = folder("digits-2");
  ASSERT_TRUE(files_.write(damaged.sent(), "{\"schema\":\"muster.sent/1\"", {}).has_value());
  EXPECT_THAT(sent_again(files_, damaged), IsEmpty());
  const cluster::JobFolder job = submit("digits-3", 3, {{"files/1/src.tar", "a", 10}});
  EXPECT_THAT(sent_again(files_, job), ElementsAre(FieldsAre("src.tar", 10, 1, 1)));
}

}  // namespace
}  // namespace muster::client
