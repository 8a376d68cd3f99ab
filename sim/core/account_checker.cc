#include "sim/core/account_checker.h"

#include "account/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace muster::sim {
namespace {

class AccountChecker final : public Checker {
 public:
  explicit AccountChecker(const job::Plan& plan) : ledger_(plan) {}
  std::string_view name() const override { return "account"; }

  void replayed(Time now, const job::Fact& fact, std::span<const job::Action>,
                const job::Machine& machine) override {
    held_for_ += (now - last_) * held_;
    last_ = now;
    ledger_.apply(now, fact);
    held_ = machine.state().phase == job::JobPhase::Ended
                ? 0
                : std::ranges::count_if(machine.state().containers, [](const auto& entry) {
                    return entry.second.state != job::ContainerState::Gone;
                  });
    if (++facts_ % 16 == 0) {
      check(std::chrono::milliseconds(facts_));
    }
  }

  void finished(const job::Machine&, const Truth&) override { check(Duration::zero()); }

 private:
  /// Checks the account as it stands some time after the last fact.
  void check(Duration later) {
    const Time until = last_ + later;
    for (const account::Line& line : ledger_.lines(until)) {
      check_line(line);
    }
    const account::Account account = ledger_.account(until);
    const Duration held = held_for_ + later * held_;
    const Duration classed =
        std::accumulate(account.classes.begin(), account.classes.end(), Duration::zero());
    // A container of n places is divided by n: less than a microsecond is lost per span.
    const Duration slack = Duration(10'000) + held / 1000;
    if (std::abs((account.granted - held).count()) > slack.count()) {
      fail(fmt::format("{} us are accounted for, but containers were held for {} us",
                       account.granted.count(), held.count()));
    }
    if (std::abs((account.granted - classed).count()) > slack.count()) {
      fail(fmt::format("the classes sum to {} us of {} us granted", classed.count(),
                       account.granted.count()));
    }
  }

  void check_line(const account::Line& line) {
    for (size_t i = 0; i < line.spans.size(); ++i) {
      const account::Span& span = line.spans[i];
      if (span.from >= span.to || (i > 0 && span.from != line.spans[i - 1].to)) {
        fail(fmt::format("the spans of {} have a gap or overlap at {} us", line.container.value,
                         span.from.time_since_epoch().count()));
      }
    }
  }

  account::Ledger ledger_;
  Time last_{};
  Duration held_for_{};
  int64_t held_ = 0;
  int64_t facts_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_account_checker(const job::Plan& plan) {
  return std::make_unique<AccountChecker>(plan);
}

}  // namespace muster::sim
