#include "eventlog/local_segment_store.h"

#include "os/file/local_files.h"
#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace muster::eventlog {
namespace {

struct LocalSegments : ::testing::Test {
  LocalSegments()
      : folder(std::filesystem::path(::testing::TempDir()) /
               ("segments-" + std::to_string(::getpid()) +
                ::testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~LocalSegments() override { std::filesystem::remove_all(folder); }

  std::optional<Status> append(LocalSegmentStore& store, std::string bytes) {
    std::optional<Status> answer;
    store.append(std::move(bytes), [&answer](Status status) { answer = std::move(status); });
    EXPECT_FALSE(answer.has_value());
    loop.run_ready();
    return answer;
  }

  std::filesystem::path folder;
  testing::FakeLoop loop;
  std::unique_ptr<os::Files> files = os::make_local_files(nullptr);
};

TEST_F(LocalSegments, KeepsWhatItIsGivenForTheNextMaster) {
  LocalSegmentStore first(&loop, *files, folder);
  EXPECT_TRUE(first.list()->empty());
  ASSERT_TRUE(first.create(job::Epoch(1)).has_value());
  EXPECT_TRUE(append(first, "one ")->has_value());
  EXPECT_TRUE(append(first, "two")->has_value());
  LocalSegmentStore second(&loop, *files, folder);
  ASSERT_TRUE(second.create(job::Epoch(2)).has_value());
  EXPECT_EQ(*second.list(), (std::vector{job::Epoch(1), job::Epoch(2)}));
  EXPECT_EQ(*second.read(job::Epoch(1)), "one two");
  EXPECT_EQ(*second.read(job::Epoch(2)), "");
}

TEST_F(LocalSegments, AnswersWhatItHasWrittenAlsoWhenItIsGone) {
  auto store = std::make_unique<LocalSegmentStore>(&loop, *files, folder);
  ASSERT_TRUE(store->create(job::Epoch(1)).has_value());
  std::optional<Status> answer;
  store->append("one", [&answer](Status status) { answer = std::move(status); });
  store.reset();
  loop.run_ready();
  EXPECT_TRUE(answer.has_value() && answer->has_value());
}

TEST_F(LocalSegments, LetsOneMasterHaveAnEpoch) {
  LocalSegmentStore first(&loop, *files, folder);
  LocalSegmentStore second(&loop, *files, folder);
  ASSERT_TRUE(first.create(job::Epoch(1)).has_value());
  EXPECT_EQ(second.create(job::Epoch(1)).error().code, Errc::AlreadyExists);
}

TEST_F(LocalSegments, ShowsItsFilesToTheOwnerOnly) {
  LocalSegmentStore store(&loop, *files, folder);
  ASSERT_TRUE(store.create(job::Epoch(1)).has_value());
  struct stat status{};
  ASSERT_EQ(::stat((folder / "000001.log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(LocalSegments, PassesOverOtherFiles) {
  std::filesystem::create_directories(folder / "000007.log.old");
  LocalSegmentStore store(&loop, *files, folder);
  EXPECT_TRUE(store.list()->empty());
  EXPECT_EQ(store.read(job::Epoch(3)).error().code, Errc::NotFound);
}

}  // namespace
}  // namespace muster::eventlog
