#include "inside/slots_desk.h"

#include "inside/horovod_driver.h"
#include "inside/socket_line.h"
#include "net/socket.h"
#include "rt/run_to_end.h"
#include "testing/refused_syscalls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace muster::inside {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr const char* kName = "9999____HOROVOD_RENDEZVOUS_SERVER____";
constexpr const char* kSlot =
    R"([{"hostname":"h","rank":0,"localRank":0,"crossRank":0,"size":1,"localSize":1,"crossSize":1)";

/// A desk, and ranks that ask it over sockets which the test reads.
class Desk : public ::testing::Test {
 protected:
  Desk() {
    std::filesystem::create_directories(folder_);
    std::ofstream(view_) << R"({"worker":["127.0.0.1:4000"]})";
  }
  ~Desk() override {
    desk_.reset();
    std::filesystem::remove_all(folder_);
    std::filesystem::remove(view_);
  }

  void open() {
    net::Listening listening = net::listen_on({.host = "127.0.0.1"}).value();
    port_ = listening.port;
    Door door(Peers(view_), [this](const std::string& host) { refused_.push_back(host); });
    desk_ = std::make_unique<SlotsDesk>(loop_, std::move(listening.fd), std::move(door), folder_);
    ASSERT_TRUE(desk_->open().has_value());
  }
  rt::Fd ask() { return connect_to({"127.0.0.1", port_}).value(); }
  /// Returns what has come so far, after giving the loop a few turns.
  std::string told(int socket) {
    loop_.run_until(loop_.now() + std::chrono::milliseconds(20));
    std::array<char, 4096> buffer{};
    std::string text;
    ssize_t got = 0;
    while ((got = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
      text.append(buffer.data(), static_cast<size_t>(got));
    }
    return text;
  }
  std::string until_told(int socket) {
    const HostTime deadline = loop_.now() + std::chrono::seconds(60);
    std::string text;
    while (text.empty() && loop_.now() < deadline) {
      text = told(socket);
    }
    return text;
  }

  rt::IoLoop loop_;
  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("slots-" + std::to_string(::getpid()));
  std::filesystem::path view_ = folder_.string() + ".view";
  uint16_t port_ = 0;
  std::vector<std::string> refused_;
  std::unique_ptr<SlotsDesk> desk_;
};

TEST_F(Desk, TellsEverybodyOnceTheFileIsWhole) {
  open();
  const rt::Fd early = ask();
  std::ofstream(folder_ / "other") << "text";
  std::ofstream(folder_ / "x9999____HOROVOD_RENDEZVOUS_SERVER____") << kSlot << "}]";
  EXPECT_EQ(told(early.get()), "");
  std::ofstream file(folder_ / kName);
  file << kSlot << std::flush;
  EXPECT_EQ(told(early.get()), "") << "the file is not whole";
  file << "}]" << std::flush;
  const std::string whole = std::string(kSlot) + "}]";
  const std::string wanted = "9999 " + std::to_string(whole.size()) + "\n" + whole;
  EXPECT_EQ(until_told(early.get()), wanted);
  const rt::Fd late = ask();
  EXPECT_EQ(until_told(late.get()), wanted);
}

TEST_F(Desk, TellsWhatIsThereAlready) {
  std::ofstream(folder_ / kName) << kSlot << "}]";
  open();
  const rt::Fd socket = ask();
  EXPECT_THAT(until_told(socket.get()), StartsWith("9999 "));
}

TEST_F(Desk, SeesAFileGrowWhereTheKernelHasNoInotifyLeft) {
  EXPECT_TRUE(testing::passes_without({SYS_inotify_init1}, [this] {
    open();
    const rt::Fd socket = ask();
    std::ofstream file(folder_ / kName);
    file << kSlot << std::flush;
    loop_.run_until(loop_.now() + std::chrono::milliseconds(300));
    EXPECT_EQ(told(socket.get()), "");
    file << "}]" << std::flush;
    EXPECT_THAT(until_told(socket.get()), StartsWith("9999 "));
    desk_.reset();
  }));
}

TEST_F(Desk, ASlowReaderHoldsUpNobody) {
  std::ofstream(folder_ / kName) << kSlot << "}" << std::string(size_t{8} << 20U, ' ') << "]";
  open();
  const rt::Fd slow = ask();
  EXPECT_THAT(until_told(slow.get()), StartsWith("9999 "));
  const rt::Fd other = ask();
  EXPECT_THAT(until_told(other.get()), StartsWith("9999 "));
}

TEST_F(Desk, TellsHostsOfTheJobOnly) {
  std::ofstream(view_) << R"({"worker":["10.0.0.7:4000"]})";
  std::ofstream(folder_ / kName) << kSlot << "}]";
  open();
  for (int turn = 0; turn < 2; ++turn) {
    const rt::Fd socket = ask();
    EXPECT_EQ(told(socket.get()), "");
  }
  const HostTime deadline = loop_.now() + std::chrono::seconds(60);
  while (refused_.empty() && loop_.now() < deadline) {
    loop_.run_until(loop_.now() + std::chrono::milliseconds(20));
  }
  EXPECT_THAT(refused_, ElementsAre("127.0.0.1")) << "said once";
}

TEST(Driver, TellsItsRanksBeforeLinux5Dot3) {
  EXPECT_TRUE(testing::passes_without({SYS_pidfd_open}, [] {
    const std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) / ("driver-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);
    std::ofstream("view") << R"({"worker":{"0":"127.0.0.1:4000"}})";
    ::setenv("MUSTER_VIEW_FILE", (folder / "view").c_str(), 1);
    const uint16_t port = net::listen_on({.host = "127.0.0.1"}).value().port;
    std::string told;
    std::thread rank([&] {
      const auto socket = connect_to({"127.0.0.1", port});
      told = socket.has_value() ? read_line(socket->get(), kLineMax).value_or("") : "";
      std::ofstream("told") << told;
    });
    const std::string command = std::string("printf '%s}]' '") + kSlot +
                                "' > $DRIVER_OUTPUT_PATH/" + kName +
                                "; until [ -e told ]; do sleep 0.01; done; exit 7";
    EXPECT_EQ(run_driver({"127.0.0.1:" + std::to_string(port), "/bin/sh", "-c", command}), 7);
    rank.join();
    EXPECT_THAT(told, StartsWith("9999 "));
    std::filesystem::current_path("/");
    std::filesystem::remove_all(folder);
  }));
}

}  // namespace
}  // namespace muster::inside
