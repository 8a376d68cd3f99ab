#include "cluster/local/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace muster::cluster::local {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kGib = 1ULL << 30;

class Claims : public ::testing::Test {
 protected:
  Claims() {
    char name[] = "/tmp/claims-test-XXXXXX";
    root_ = ::mkdtemp(name);
    folder_ = ClaimFolder(root_ / "claims");
  }
  ~Claims() override { std::filesystem::remove_all(root_); }

  static Wanted wanted(const std::string& container, uint64_t memory, uint32_t gpus = 0) {
    return {"digits-1", container, {memory, 1, gpus}};
  }
  Result<std::vector<Claim>> take(std::vector<Wanted> all) { return folder_.take(capacity_, all); }

  std::filesystem::path root_;
  ClaimFolder folder_{""};
  Capacity capacity_{.memory_bytes = 8 * kGib, .cores = 2, .gpus = 2};
};

TEST_F(Claims, MakesAFolderThatOnlyItsUserWritesTo) {
  ASSERT_TRUE(folder_.open().has_value());
  ASSERT_TRUE(folder_.open().has_value());
  ASSERT_EQ(folder_.folders().size(), 1U);
  struct stat stat{};
  ::stat(folder_.folders().front().c_str(), &stat);
  EXPECT_EQ(stat.st_mode & 07777, 0755U);
}

// What another user can put there before us: our old name, and names that look like ours.
TEST_F(Claims, ASquatterKeepsNobodyOut) {
  const std::string mine = std::to_string(::geteuid());
  std::ofstream(root_ / "claims") << "";
  std::ofstream(root_ / ("claims." + mine + ".aaaaaa")) << "";
  std::filesystem::create_directory_symlink("/", root_ / ("claims." + mine + ".bbbbbb"));
  std::filesystem::create_directory(root_ / ("claims." + mine + ".cccccc"));
  std::filesystem::permissions(root_ / ("claims." + mine + ".cccccc"), std::filesystem::perms::all);
  std::filesystem::create_directory(root_ / "claims.77777.x");  // Another's name, but ours.
  const auto claims = take({wanted("c1", kGib)});
  ASSERT_TRUE(claims.has_value()) << claims.error().message;
  EXPECT_EQ(folder_.folders().size(), 1U);
}

// Anybody may open, and lock, a file that everybody can read.
TEST_F(Claims, LocksOfOthersHoldNobodyUp) {
  const auto first = take({wanted("c1", kGib)});
  ASSERT_TRUE(first.has_value());
  const int folder = ::open(folder_.folders().front().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(folder, LOCK_EX), 0);
  const int claim = ::open((*first)[0].file.c_str(), O_RDONLY);
  struct flock lock{};
  lock.l_type = F_RDLCK;
  EXPECT_NE(::fcntl(claim, F_OFD_SETLK, &lock), 0);
  EXPECT_TRUE(take({wanted("c2", kGib)}).has_value());
  ::close(folder);
  ::close(claim);
}

TEST_F(Claims, JobsThatClaimAtTheSameMomentDoNotGetTheSame) {
  constexpr int kJobs = 8;
  std::vector<std::thread> threads;
  std::atomic<int> taken = 0;
  std::array<Result<std::vector<Claim>>, kJobs> results;
  for (int job = 0; job < kJobs; ++job) {
    threads.emplace_back([&, job] {
      results[job] = folder_.take(
          capacity_, std::vector{Wanted{"job-" + std::to_string(job), "c1", {3 * kGib, 1, 1}}});
      taken += results[job].has_value() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(taken, 2);
  std::set<uint32_t> gpus;
  for (const auto& result : results) {
    if (result.has_value()) {
      gpus.insert((*result)[0].gpus.begin(), (*result)[0].gpus.end());
    }
  }
  EXPECT_EQ(gpus.size(), 2U);
}

TEST_F(Claims, CountsWhatOthersHold) {
  const auto first = take({wanted("c1", 5 * kGib)});
  ASSERT_TRUE(first.has_value());
  const auto second = take({wanted("c2", 5 * kGib)});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::Unavailable);
  EXPECT_THAT(second.error().message, HasSubstr("3 GiB of 8 GiB are free; digits-1 has 5 GiB"));
  EXPECT_TRUE(take({wanted("c2", 3 * kGib)}).has_value());
}

TEST_F(Claims, TakesAllOrNothing) {
  EXPECT_FALSE(take({wanted("c1", 5 * kGib), wanted("c2", 5 * kGib)}).has_value());
  EXPECT_TRUE(folder_.list(capacity_)->empty());
}

TEST_F(Claims, GivesEachGpuOnce) {
  const auto first = take({wanted("c1", kGib, 1)});
  const auto second = take({wanted("c2", kGib, 1)});
  EXPECT_THAT((*first)[0].gpus, ElementsAre(0));
  EXPECT_THAT((*second)[0].gpus, ElementsAre(1));
  EXPECT_THAT(take({wanted("c3", kGib, 1)}).error().message,
              HasSubstr("1 GPU on this machine: 0 of 2 free"));
}

TEST_F(Claims, VirtualCoresAreHardOnlyWhenAsked) {
  EXPECT_TRUE(take({{"a", "c1", {kGib, 8, 0}}}).has_value());
  capacity_.strict_vcores = true;
  EXPECT_THAT(take({{"a", "c2", {kGib, 8, 0}}}).error().message, HasSubstr("8 cores"));
}

TEST_F(Claims, AClaimEndsWithTheLastProcessThatHoldsIt) {
  auto claims = take({wanted("c1", 5 * kGib)});
  int pipe_fds[2];
  ASSERT_EQ(::pipe(pipe_fds), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char c = 0;
    ::close(pipe_fds[1]);
    (void)!::read(pipe_fds[0], &c, 1);
    _exit(0);
  }
  ::close(pipe_fds[0]);
  const std::filesystem::path file = (*claims)[0].file;
  claims->clear();
  EXPECT_TRUE(ClaimFolder::is_held(file));
  EXPECT_EQ(folder_.list(capacity_)->size(), 1U);
  ::close(pipe_fds[1]);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(ClaimFolder::is_held(file));
  EXPECT_TRUE(take({wanted("c2", 5 * kGib)}).has_value());
}

TEST_F(Claims, SweepsItsOwnDeadClaims) {
  {
    const auto claim = take({wanted("c1", kGib)});
  }
  EXPECT_TRUE(take({wanted("c1", kGib)}).has_value()) << "the same name again";
}

TEST_F(Claims, BoundsWhatForeignFilesSay) {
  ASSERT_TRUE(folder_.open().has_value());
  const auto path = folder_.folders().front() / "1.evil.c1";
  std::ofstream(path) << "job=a\x1b[2Jb\nmemory=99999999999999999999\ngpus=7,0,0\nvcores=-1\n";
  const int fd = ::open(path.c_str(), O_RDWR);
  struct flock lock{};
  lock.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(fd, F_OFD_SETLK, &lock), 0);
  const auto held = folder_.list(capacity_);
  ASSERT_EQ(held->size(), 1U);
  EXPECT_LE((*held)[0].memory_bytes, capacity_.memory_bytes);
  EXPECT_THAT((*held)[0].gpus, ElementsAre(0));
  EXPECT_EQ((*held)[0].job.find('\x1b'), std::string::npos);
  ::close(fd);
}

TEST_F(Claims, StandsInLineWithoutHoldingAnything) {
  const auto first = take({wanted("c1", 5 * kGib)});
  const auto place = folder_.queue(std::vector{Wanted{"big-1", "c1", {4 * kGib, 1, 0}}});
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(folder_.list(capacity_)->size(), 1U);
  EXPECT_TRUE(take({{"small-1", "c1", {2 * kGib, 1, 0}}}).has_value()) << "it is nobody's turn yet";
}

TEST_F(Claims, GivesOneWhoWaitedLongItsTurn) {
  const auto first = take({wanted("c1", 5 * kGib)});
  const auto place = folder_.queue(std::vector{Wanted{"big-1", "c1", {4 * kGib, 1, 0}}});
  const auto waited = [&](Duration time) {
    std::filesystem::last_write_time(place->file,
                                     std::filesystem::file_time_type::clock::now() - time);
  };
  waited(kTurnAfter + std::chrono::seconds(2));
  EXPECT_EQ(take({{"small-1", "c1", {2 * kGib, 1, 0}}}).error().message,
            "its turn: big-1 has waited longer, for 4 GiB of memory");
  EXPECT_TRUE(take({wanted("c2", 2 * kGib)}).has_value()) << "one who has something already";
  EXPECT_FALSE(take({{"big-1", "c1", {4 * kGib, 1, 0}}}).has_value()) << "held, as before";
  waited(kTurn + std::chrono::minutes(1));
  EXPECT_TRUE(take({{"small-2", "c1", {2 * kGib, 1, 0}}}).has_value()) << "every other turn";
  waited(2 * kTurn + std::chrono::minutes(1));
  EXPECT_FALSE(take({{"small-2", "c2", {2 * kGib, 1, 0}}}).has_value());
}

TEST_F(Claims, GoesInTheOrderOfTheLine) {
  const std::vector<Waiting> line = {
      {.what = {0, "late-1", 4 * kGib, 1, {}}, .waited = std::chrono::minutes(1)},
      {.what = {0, "early-1", 5 * kGib, 1, {}}, .waited = std::chrono::minutes(2)},
      {.what = {0, "never-1", 9 * kGib, 1, {}}, .waited = std::chrono::minutes(3)}};
  const std::vector<Wanted> early = {{"early-1", "c1", {5 * kGib, 1, 0}}};
  const std::vector<Wanted> late = {{"late-1", "c1", {4 * kGib, 1, 0}}};
  const std::vector<Wanted> beside = {{"small-1", "c1", {kGib, 1, 0}}};
  EXPECT_EQ(missing_turn(capacity_, {}, line, early), "");
  EXPECT_EQ(missing_turn(capacity_, {}, line, late),
            "its turn: early-1 has waited longer, for 5 GiB of memory");
  EXPECT_EQ(missing_turn(capacity_, {}, {&line[1], 1}, beside), "") << "it is in nobody's way";
}

TEST_F(Claims, SaysWhatCanNeverFit) {
  EXPECT_EQ(missing_ever(capacity_, {kGib, 64, 0}), "");
  EXPECT_EQ(missing_ever(capacity_, {9 * kGib, 1, 0}),
            "9 GiB of memory requested; this machine has 8 GiB");
  EXPECT_EQ(missing_ever(capacity_, {kGib, 1, 3}), "3 GPUs are requested; this machine has 2");
}

}  // namespace
}  // namespace muster::cluster::local
