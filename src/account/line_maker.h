#pragma once

#include "account/account.h"
#include "account/ledger.h"
#include "job/plan.h"
#include "job/state.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace muster::account {

/// Cuts the time of every container into spans. Made for one call of Ledger::lines; its arguments
/// must outlive it.
class LineMaker {
 public:
  struct Deps {
    const job::Plan& plan;
    const job::State& state;
    const Journal& journal;
    const Signs& signs;
    Time end;  ///< Nothing is counted from this time on.
  };

  explicit LineMaker(const Deps& deps);

  [[nodiscard]] std::vector<Line> make() const;

 private:
  struct Stay {
    job::AttemptId id;
    const job::Attempt* attempt = nullptr;
    bool lost = false;         ///< Its work had to be done again, or was for nothing,
    std::optional<Time> kept;  ///< but what it did until then. nullopt: nobody knows.
  };
  using Place = std::pair<job::ContainerId, uint32_t>;

  [[nodiscard]] Line make(const job::ContainerId& id, uint32_t slot, uint32_t slots) const;
  void add_stay(const Stay& stay, Time until, std::vector<Span>& spans) const;
  void add_work(const Stay& stay, Time from, Time to, std::vector<Span>& spans) const;
  void add_waits(const Stay& stay, std::vector<Span>& work) const;
  void add_stop(const Stay& stay, Time from, Time to, std::vector<Span>& spans) const;
  void add_idle(const Journal::Held& held, Class what, Time from, Time to,
                std::vector<Span>& spans) const;
  [[nodiscard]] bool is_lost(const Stay& stay) const;
  [[nodiscard]] std::optional<Time> kept_until(const Stay& stay) const;
  /// Returns the last commit that keeps some of the attempt's work; nullopt if none does.
  [[nodiscard]] std::optional<Time> last_commit_for(const Stay& stay) const;
  /// Returns when the attempt was where the next one of its task began, by the steps that both
  /// reported.
  [[nodiscard]] std::optional<Time> reached_again(const Stay& stay) const;
  [[nodiscard]] bool works_with_others(job::AttemptId id) const;
  void note_reached_together();
  void note_lost();

  Deps deps_;
  std::map<Place, std::vector<Stay>> stays_;  ///< In order of their placement.
  /// When those that worked together in a generation had got to where the next one began.
  std::map<job::Generation, Time> together_;
};

}  // namespace muster::account
