#include "cluster/local/job_lock.h"

#include "testing/refused_syscalls.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iterator>
#include <sys/syscall.h>

namespace muster::cluster::local {
namespace {

namespace fs = std::filesystem;

class JobLock : public ::testing::Test {
 protected:
  JobLock() {
    char name[] = "/tmp/job-lock-XXXXXX";
    folder_ = ::mkdtemp(name);
    lock_ = folder_ / "lock";
  }
  ~JobLock() override { fs::remove_all(folder_); }

  fs::path folder_;
  fs::path lock_;
};

TEST_F(JobLock, HasOneHolderAtATime) {
  auto first = take_job_lock(lock_);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(take_job_lock(lock_).error().code, Errc::AlreadyExists);
  EXPECT_TRUE(job_lock_is_held(lock_));
  first->reset();
  EXPECT_FALSE(job_lock_is_held(lock_));
  EXPECT_TRUE(take_job_lock(lock_).has_value());
}

TEST_F(JobLock, IsWaitedForUntilItIsFree) {
  EXPECT_TRUE(wait_for_job_lock(lock_, {})) << "nobody has made it";
  auto held = take_job_lock(lock_);
  ASSERT_TRUE(held.has_value());
  EXPECT_FALSE(wait_for_job_lock(lock_, {}));
  EXPECT_FALSE(wait_for_job_lock(lock_, std::chrono::milliseconds(1)));
  auto free = std::async(std::launch::async,
                         [this] { return wait_for_job_lock(lock_, std::chrono::hours(1)); });
  held->reset();
  EXPECT_TRUE(free.get());
}

// Otherwise a job whose first master is being started would be taken for lost.
TEST_F(JobLock, HasNoNameBeforeItIsTaken) {
  EXPECT_TRUE(testing::passes_without({SYS_fcntl},
                                      [&] { EXPECT_FALSE(take_job_lock(lock_).has_value()); }));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(JobLock, IsTakenWhereFilesHaveButOneName) {
  EXPECT_TRUE(testing::passes_without({SYS_linkat}, [&] {
    const auto taken = take_job_lock(lock_);
    ASSERT_TRUE(taken.has_value());
    EXPECT_TRUE(job_lock_is_held(lock_));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  }));
}

TEST_F(JobLock, IsNotMadeInAFolderThatIsGone) {
  EXPECT_EQ(take_job_lock(folder_ / "gone" / "lock").error().code, Errc::NotFound);
}

}  // namespace
}  // namespace muster::cluster::local
