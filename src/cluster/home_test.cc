#include "cluster/home.h"

#include <gtest/gtest.h>

#include <fstream>

namespace muster::cluster {
namespace {

namespace fs = std::filesystem;

class HomeTest : public ::testing::Test {
 protected:
  HomeTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-home-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~HomeTest() override { fs::remove_all(root_); }

  void add_job(const std::string& id, int minutes) {
    const JobFolder folder(root_ / "jobs" / id);
    fs::create_directories(folder.root());
    std::ofstream(folder.plan()) << "{}";
    fs::last_write_time(folder.plan(),
                        fs::file_time_type::clock::now() + std::chrono::minutes(minutes));
  }

  fs::path root_;
};

TEST_F(HomeTest, FindsByIdPrefixAndLast) {
  add_job("digits-aaa111", 1);
  add_job("digits-abb222", 3);
  add_job("other-ccc333", 2);
  const Home home(root_);
  EXPECT_EQ(home.find("digits-aaa111")->folder.id().value, "digits-aaa111");
  EXPECT_EQ(home.find("digits-ab")->folder.id().value, "digits-abb222");
  EXPECT_EQ(home.find("last")->folder.id().value, "digits-abb222");
}

TEST_F(HomeTest, SuggestsForASlipAndNamesWhatIsAmbiguous) {
  add_job("digits-aaa111", 1);
  add_job("digits-abb222", 3);
  const Home home(root_);
  EXPECT_EQ(home.find("digits-aaa112").error().message,
            "no such job: digits-aaa112; did you mean digits-aaa111?");
  EXPECT_EQ(home.find("digits").error().message,
            "2 jobs start with \"digits\": digits-abb222, digits-aaa111; give more of the id");
  EXPECT_EQ(home.find("zzz").error().message, "no such job: zzz; `muster ps --all` lists them");
}

TEST_F(HomeTest, AnEmptyHomeSaysSo) {
  const Result<JobEntry> found = Home(root_).find("last");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::NotFound);
  EXPECT_NE(found.error().message.find("there are none in"), std::string::npos);
}

TEST_F(HomeTest, NeverLeavesItsFolder) {
  add_job("digits-aaa111", 1);
  EXPECT_FALSE(Home(root_ / "elsewhere").find("../../jobs/digits-aaa111"));
}

}  // namespace
}  // namespace muster::cluster
