#include "account/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <random>

/// Whatever happens, in whatever order, the spans of each container cover its time without gap or
/// overlap, and the classes add up to what was granted. Seeds draw plans, facts and signs.
namespace muster::account {
namespace {

using job::ContainerId;

class Chance {
 public:
  explicit Chance(uint64_t seed) : engine_(seed) {}
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(engine_() % bound); }
  bool one_in(uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

job::Plan draw_plan(Chance& chance) {
  job::Plan plan;
  plan.job = job::JobId("random-000000");
  plan.spec.checkpoint.resume = static_cast<spec::Resume>(chance.below(3));
  plan.spec.checkpoint.by = static_cast<spec::CheckpointBy>(chance.below(2));
  for (uint32_t i = 0; i <= chance.below(3); ++i) {
    job::RolePlan role;
    role.name = "role" + std::to_string(i);
    role.tasks = role.tasks_min = 1 + chance.below(4);
    role.tasks_per_container = 1 + chance.below(3);
    role.membership = chance.one_in(2) ? spec::Membership::Static : spec::Membership::Independent;
    role.restart.job = chance.below(2);
    role.restart.backoff_low = role.restart.backoff_high = Duration::zero();
    plan.roles.push_back(role);
  }
  return plan;
}

/// Mostly answers what the machine asks for; otherwise says something that nobody expects.
class FactDrawer {
 public:
  explicit FactDrawer(Chance& chance) : chance_(chance) {}

  void note(const std::vector<job::Action>& actions) {
    open_.insert(open_.end(), actions.begin(), actions.end());
  }

  job::Fact draw() {
    while (!open_.empty() && !chance_.one_in(8)) {
      const size_t at = chance_.below(static_cast<uint32_t>(open_.size()));
      const job::Action action = open_[at];
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
      if (const std::optional<job::Fact> fact = answer(action)) {
        return *fact;
      }
    }
    return draw_any();
  }

 private:
  std::optional<job::Fact> answer(const job::Action& action) {
    if (const auto* ask = std::get_if<job::RequestContainer>(&action)) {
      return job::ContainerGranted{ask->request, ContainerId("c" + std::to_string(++grants_)),
                                   host()};
    }
    if (const auto* launch = std::get_if<job::LaunchAgent>(&action)) {
      return job::AgentJoined{launch->container, "a:1"};
    }
    if (const auto* prepare = std::get_if<job::PrepareAttempt>(&action)) {
      return job::AttemptJoined{prepare->attempt, {.host = "h", .port = 5000, .named_ports = {}}};
    }
    if (const auto* start = std::get_if<job::StartAttempt>(&action)) {
      started_.push_back(start->attempt);
      return job::AttemptStarted{start->attempt, 7};
    }
    if (const auto* stop = std::get_if<job::StopAttempt>(&action)) {
      return job::AttemptEnded{stop->attempt, exit()};
    }
    if (const auto* release = std::get_if<job::ReleaseContainer>(&action)) {
      return job::ContainerEnded{.container = release->container,
                                 .kind = job::ContainerEndKind::Released};
    }
    return std::nullopt;
  }

  job::Fact draw_any() {
    const ContainerId container("c" + std::to_string(1 + chance_.below(grants_ + 2)));
    switch (chance_.below(12)) {
      case 0:
        return job::ContainerGranted{job::RequestId(1 + chance_.below(9)), container, host()};
      case 1:
        return job::ContainerEnded{.container = container,
                                   .kind = static_cast<job::ContainerEndKind>(chance_.below(7))};
      case 2:
        return job::AgentLost{container, job::LossReason::Silent};
      case 3:
        return job::HostReported{host(), static_cast<job::HostHealth>(chance_.below(4))};
      case 4:
        return job::MasterRecovered{job::Epoch(2 + chance_.below(4))};
      case 5:
        return chance_.one_in(9)
                   ? job::Fact(job::StopAsked{"chance"})
                   : job::Fact(job::DeadlinePassed{job::DeadlineId(1 + chance_.below(30))});
      case 6:
      case 7:
        return job::CheckpointCommitted{attempt(), job::Generation(chance_.below(5)), "x"};
      case 8:
        return job::AttemptStalled{attempt(), Duration(chance_.below(20'000'000))};
      default:
        return job::AttemptEnded{attempt(), exit()};
    }
  }

  job::AttemptId attempt() {
    return started_.empty() ? job::AttemptId{}
                            : started_[chance_.below(static_cast<uint32_t>(started_.size()))];
  }
  job::HostName host() { return job::HostName("h" + std::to_string(chance_.below(4))); }
  job::Exit exit() {
    if (chance_.one_in(3)) {
      return {.exit_code = 0};
    }
    return {.exit_code = 1,
            .failure = job::Failure{.class_name = "x",
                                    .kind = static_cast<job::FailureKind>(chance_.below(6))}};
  }

  Chance& chance_;
  std::vector<job::Action> open_;
  std::vector<job::AttemptId> started_;
  uint32_t grants_ = 0;
};

Signs draw_signs(Chance& chance) {
  Signs signs;
  for (uint32_t i = 0; i < 12; ++i) {
    const auto any = [&] { return Time(Duration(chance.below(400'000'000))); };
    AttemptSigns& sign =
        signs[{{job::RoleIndex(static_cast<uint16_t>(chance.below(3))), chance.below(4)},
               1 + chance.below(3)}];
    if (chance.one_in(2)) {
      sign.first_step = any();
    }
    sign.first_output = any();
    for (uint32_t step = chance.below(3); step > 0; --step) {
      sign.steps.push_back({.at = any(), .number = static_cast<double>(chance.below(100))});
    }
    for (uint32_t mark = chance.below(4); mark > 0; --mark) {
      sign.marks.push_back(
          {any(), any(), static_cast<Class>(chance.below(static_cast<uint32_t>(kClasses)))});
    }
  }
  return signs;
}

void expect_whole(const Ledger& ledger, Time until, const Signs& signs, Duration held) {
  for (const Line& line : ledger.lines(until, signs)) {
    for (size_t i = 0; i < line.spans.size(); ++i) {
      ASSERT_LT(line.spans[i].from, line.spans[i].to);
      ASSERT_TRUE(i == 0 || line.spans[i].from == line.spans[i - 1].to) << line.container.value;
    }
  }
  const Account account = ledger.account(until, signs);
  const Duration sum =
      std::accumulate(account.classes.begin(), account.classes.end(), Duration::zero());
  // The remainder of a division by the places of a container.
  ASSERT_LE(std::abs((account.granted - sum).count()), 2000);
  ASSERT_LE(std::abs((account.granted - held).count()), 2000);
}

class LedgerProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(LedgerProperty, EverySecondHasOneClass) {
  for (uint64_t seed = GetParam() * 50; seed < (GetParam() + 1) * 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Chance chance(seed);
    const job::Plan plan = draw_plan(chance);
    const Signs signs = draw_signs(chance);
    Ledger ledger(plan);
    job::Machine machine(plan);
    FactDrawer facts(chance);
    Time now{};
    Duration held{};
    job::Fact fact = job::JobStarted{};
    for (int i = 0; i < 200; ++i) {
      const Duration pause(chance.below(2'000'000));
      if (machine.state().phase != job::JobPhase::Ended) {
        held += pause * std::ranges::count_if(machine.state().containers, [](const auto& entry) {
                  return entry.second.state != job::ContainerState::Gone;
                });
      }
      now += pause;
      ledger.apply(now, fact);
      facts.note(machine.apply(now, fact));
      fact = facts.draw();
      if (i % 10 == 0) {
        expect_whole(ledger, now, signs, held);
      }
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LedgerProperty, ::testing::Range<uint64_t>(0, 6));

}  // namespace
}  // namespace muster::account
