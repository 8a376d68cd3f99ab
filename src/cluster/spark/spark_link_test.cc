#include "cluster/spark/spark_link.h"

#include "testing/recording_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

namespace muster::cluster::spark {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

/// Goal: what the master asks for leaves as lines, and what the driver says arrives as facts. The
/// test plays the driver at the other end of the socket.
class SparkLinkTest : public ::testing::Test {
 protected:
  SparkLinkTest() {
    plan_.roles.resize(1);
    plan_.roles[0].name = "worker";
    plan_.liveness.orphan = seconds(10);
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    driver_.reset(ends[0]);
    link_.emplace(loop_, sink_, SparkLinkOptions{&plan_, rt::Fd(ends[1])});
    EXPECT_TRUE(link_->start({}, [this](job::Fact fact) { facts_.push_back(std::move(fact)); }));
  }

  void say(std::string_view line) const {
    const std::string text = std::string(line) + "\n";
    ASSERT_EQ(::write(driver_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  /// Runs the loop until `enough` returns true, or fails.
  void run_until(const std::function<bool()>& enough) {
    const HostTime deadline = loop_.now() + seconds(30);
    while (!enough() && loop_.now() < deadline) {
      loop_.run_until(loop_.now() + std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(enough());
  }
  std::string heard() {
    char buffer[4096];
    const ssize_t got = ::recv(driver_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    heard_.append(buffer, static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return heard_;
  }
  void hear(const std::string& part) {
    run_until([&] { return heard().contains(part); });
  }
  void grant() {
    say(R"({"is":"granted","request":1,"container":"c1",)"
        R"("host":"n1","folder":"/tmp/j","listen":"10.0.0.7"})");
    run_until([&] { return !facts_.empty(); });
  }

  rt::IoLoop loop_;
  testing::RecordingSink sink_;
  job::Plan plan_;
  rt::Fd driver_;
  std::vector<job::Fact> facts_;
  std::string heard_;
  std::optional<SparkLink> link_;
};

TEST_F(SparkLinkTest, AsksOnceForEachRequest) {
  job::RequestContainer request;
  request.request.value = 1;
  request.avoid = {job::HostName{"bad"}};
  link_->request(request);
  link_->request(request);
  link_->reconcile();
  hear("reconcile");
  EXPECT_THAT(heard_, HasSubstr(R"("role":"worker","avoid":["bad"])"));
  EXPECT_EQ(heard_.find("\"do\":\"request\""), heard_.rfind("\"do\":\"request\""));
}

TEST_F(SparkLinkTest, LaunchesWhereTheDriverGranted) {
  grant();
  EXPECT_EQ(std::get<job::ContainerGranted>(facts_[0]).host.value, "n1");
  EXPECT_FALSE(link_->known_dead(job::ContainerId{"c1"}));
  LaunchOrder order;
  order.container.value = "c1";
  order.agent_key_hex = "aa55";
  link_->launch(order);
  hear("\"do\":\"launch\"");
  EXPECT_THAT(heard_, HasSubstr("listen-host=10.0.0.7"));
  EXPECT_THAT(heard_, HasSubstr("job-folder=/tmp/j"));
  EXPECT_THAT(heard_, HasSubstr("orphan-us=10000000"));
}

TEST_F(SparkLinkTest, AReleasedContainerEndsAsReleased) {
  grant();
  link_->release(job::ContainerId{"c1"}, Confirm::No);
  link_->release(job::ContainerId{"c1"}, Confirm::No);
  hear("\"do\":\"release\"");
  say(R"({"is":"ended","container":"c1","kind":"killed","diagnostics":""})");
  run_until([&] { return facts_.size() == 2; });
  EXPECT_EQ(std::get<job::ContainerEnded>(facts_[1]).kind, job::ContainerEndKind::Released);
  EXPECT_TRUE(link_->known_dead(job::ContainerId{"c1"}));
}

TEST_F(SparkLinkTest, TheDriversEndStopsTheJob) {
  grant();
  driver_.reset();
  run_until([&] { return facts_.size() == 3; });
  EXPECT_THAT(std::get<job::StopAsked>(facts_[1]).by, HasSubstr("driver has ended"));
  EXPECT_EQ(std::get<job::ContainerEnded>(facts_[2]).kind, job::ContainerEndKind::HostLost);
  bool done = false;
  link_->finish({}, [&] { done = true; });
  run_until([&] { return done; });
}

TEST_F(SparkLinkTest, FinishesWhenTheDriverSaysSo) {
  bool done = false;
  link_->finish({}, [&] { done = true; });
  hear("\"do\":\"finish\"");
  EXPECT_FALSE(done);
  say(R"({"is":"finished"})");
  run_until([&] { return done; });
}

}  // namespace
}  // namespace muster::cluster::spark
