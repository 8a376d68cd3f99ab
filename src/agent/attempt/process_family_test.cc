#include "agent/attempt/process_family.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace muster::agent {
namespace {

constexpr os::Pid kProgram{100};
constexpr os::Pid kGuest{200};

/// Processes that exist only in a list: a signal is recorded, and ends nobody.
class ListedProcesses final : public os::Processes {
 public:
  Result<os::Pid> spawn(const os::SpawnOptions&, Handlers) override { return kProgram; }
  Status signal_group(os::Pid leader, int signal) override {
    sent.emplace_back(leader, signal);
    return {};
  }
  void drain_output(os::Pid) override {}
  void close_output(os::Pid) override {}
  [[nodiscard]] std::vector<os::Pid> family(os::Pid child) const override {
    const auto found = families.find(child);
    return found == families.end() ? std::vector<os::Pid>() : found->second;
  }
  size_t signal_family(os::Pid child, int signal) override {
    sent.emplace_back(child, signal);
    return family(child).size();
  }
  size_t signal_ignoring(os::Pid child, int ignored, int signal) override {
    EXPECT_EQ(ignored, SIGINT);
    sent.emplace_back(child, signal);
    return 1;
  }

  std::map<os::Pid, std::vector<os::Pid>> families{{kProgram, {kProgram, os::Pid{101}}},
                                                   {kGuest, {kGuest}}};
  std::vector<std::pair<os::Pid, int>> sent;
};

class CountedLeftovers final : public Leftovers {
 public:
  void saw(job::AttemptId, const std::vector<os::Pid>& family) override { seen = family; }
  size_t ask_to_end(job::AttemptId, const AttemptMark&) override { return left; }
  size_t end(job::AttemptId, const AttemptMark&) override {
    ended = true;
    return left;
  }

  std::vector<os::Pid> seen;
  size_t left = 0;
  bool ended = false;
};

/// A program with one child, and a guest beside it.
class FamilyOf : public ::testing::Test {
 protected:
  using Sent = std::vector<std::pair<os::Pid, int>>;

  FamilyOf() {
    family_.begin(kProgram);
    family_.admit(kGuest);
  }
  Sent sent() { return std::exchange(processes_.sent, {}); }
  void program_ends() {
    processes_.families[kProgram].clear();
    family_.process_ended({.code = 0});
  }

  ListedProcesses processes_;
  CountedLeftovers leftovers_;
  ProcessFamily family_{{.processes = processes_, .leftovers = leftovers_}, {}, {}};
};

TEST_F(FamilyOf, TellsItsOwnFromGuests) {
  EXPECT_EQ(family_.members(), (std::vector{kProgram, os::Pid{101}, kGuest}));
  EXPECT_EQ(family_.own(), (std::vector{kProgram, os::Pid{101}}));
  EXPECT_TRUE(family_.has_guests());
  EXPECT_TRUE(family_.dismiss(kGuest)) << "it has ended by itself";
  EXPECT_FALSE(family_.has_guests());
}

TEST_F(FamilyOf, AsksTheProgramAndRemembersWhoThereWas) {
  family_.ask_to_end(SIGTERM);
  EXPECT_EQ(sent(), (Sent{{kProgram, SIGTERM}, {kProgram, SIGCONT}}));
  EXPECT_EQ(leftovers_.seen, (std::vector{kProgram, os::Pid{101}}));
}

TEST_F(FamilyOf, WhoIgnoresInterruptsIsToldOnceTheProcessItselfHasEnded) {
  family_.ask_to_end(SIGINT);
  EXPECT_EQ(sent(), (Sent{{kProgram, SIGINT}, {kProgram, SIGCONT}}));
  family_.process_ended({.code = 130});
  EXPECT_FALSE(family_.wind_up());
  EXPECT_EQ(sent(), (Sent{{kProgram, SIGTERM}}));
  EXPECT_FALSE(family_.wind_up()) << "the others have their time";
  EXPECT_EQ(sent(), Sent{});
}

TEST_F(FamilyOf, NobodyIsToldTwiceWhoHasHadTerm) {
  family_.ask_to_end(SIGINT);
  family_.ask_to_end(SIGTERM);
  family_.process_ended({.code = 1});
  (void)sent();
  EXPECT_FALSE(family_.wind_up());
  EXPECT_EQ(sent(), Sent{});
}

TEST_F(FamilyOf, GuestsEndOnceNobodyOfItsOwnIsLeft) {
  EXPECT_FALSE(family_.wind_up());
  EXPECT_EQ(sent(), Sent{});
  program_ends();
  leftovers_.left = 1;
  EXPECT_FALSE(family_.wind_up()) << "a daemon is left";
  EXPECT_EQ(sent(), (Sent{{kGuest, SIGKILL}}));
  EXPECT_FALSE(family_.dismiss(kGuest)) << "the attempt took it along";
  leftovers_.left = 0;
  EXPECT_TRUE(family_.wind_up());
}

TEST_F(FamilyOf, FinishKillsWhoIsLeft) {
  family_.process_ended({.code = 1});
  family_.finish();
  EXPECT_EQ(sent(), (Sent{{kProgram, SIGKILL}, {kProgram, SIGKILL}, {kGuest, SIGKILL}}));
  EXPECT_TRUE(leftovers_.ended);
  EXPECT_TRUE(family_.members().empty());
}

TEST_F(FamilyOf, AGroupWhoseNumberMayBeSomebodyElsesGetsNoSignal) {
  program_ends();
  EXPECT_TRUE(family_.wind_up());
  (void)sent();
  processes_.families[kProgram] = {kProgram};  // By now it belongs to somebody else.
  EXPECT_TRUE(family_.own().empty());
  family_.finish();
  EXPECT_EQ(sent(), Sent{});
}

}  // namespace
}  // namespace muster::agent
