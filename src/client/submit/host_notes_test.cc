#include "client/submit/host_notes.h"

#include "testing/fake_cluster.h"
#include "testing/memory_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WallTime kNow{std::chrono::days(20'000)};

class RememberingCluster final : public muster::testing::FakeCluster {
 public:
  explicit RememberingCluster(os::Files& files)
      : FakeCluster(files, {.home = cluster::Home("/home"), .hosts = "/hosts"}) {}
  Result<std::string> lines = std::string();
  Result<std::string> host_lines() override { return lines; }
};

std::string line_of(std::string_view hosts) {
  return fmt::format(R"({{"job":"a","at_us":{},"hosts":[{}]}})"
                     "\n",
                     kNow.time_since_epoch().count(), hosts);
}

class HostNotesTest : public ::testing::Test {
 protected:
  HostNotes notes() { return take_host_notes(cluster_, spec_, kNow); }

  muster::testing::MemoryTree tree_;
  muster::testing::MemoryFiles files_{tree_};
  RememberingCluster cluster_{files_};
  spec::Spec spec_;
};

TEST_F(HostNotesTest, AddHostsThatHarmedEarlierJobs) {
  cluster_.lines = line_of(R"({"host":"h1"},{"host":"h2","failures":2,"class":"host.disk"},)"
                           R"({"host":"h3"})") +
                   "{torn\n";
  spec_.hosts.avoid = {"h9"};
  const HostNotes found = notes();
  EXPECT_THAT(spec_.hosts.avoid, ElementsAre("h9", "h2"));
  EXPECT_THAT(found.avoided,
              ElementsAre("hosts: avoiding h2, which caused trouble for earlier jobs: 2 failures "
                          "(host.disk, 2024-10-04)"));
  EXPECT_THAT(found.troubles,
              ElementsAre("the record of hosts from earlier jobs is damaged: 1 line skipped"));
  EXPECT_THAT(notes().avoided, IsEmpty());  // Already in hosts.avoid.
}

TEST_F(HostNotesTest, AreNotTakenWhereAJobDoesNotWantThem) {
  cluster_.lines = line_of(R"({"host":"h1"},{"host":"h2","failures":9},{"host":"h3"})");
  spec_.hosts.remembered = false;
  EXPECT_THAT(notes().avoided, IsEmpty());
  EXPECT_THAT(spec_.hosts.avoid, IsEmpty());
}

TEST_F(HostNotesTest, ThatCannotBeReadAreTold) {
  cluster_.lines = cluster_error("the name node does not answer");
  EXPECT_THAT(
      notes().troubles,
      ElementsAre("the record of hosts from earlier jobs cannot be read: the name node does "
                  "not answer"));
}

}  // namespace
}  // namespace muster::client
