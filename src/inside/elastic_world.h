#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::inside {

/// Who takes part in an elastic gang, and with which rank. The gang runs in rounds: each has its
/// ranks, 0 to size - 1, and lasts until a member is lost or a new one is admitted. Then all that
/// are left ask for their places again, and once all that can have done so, the next round is
/// formed. Members of the previous round keep their order and come before new ones: rank 0 has the
/// state that the others take over. Pure.
class ElasticWorld {
 public:
  using Index = uint32_t;  ///< Of a task in its role.

  struct Place {
    size_t rank = 0;
    size_t size = 0;
    bool operator==(const Place&) const = default;
  };

  /// `members_min`: the minimum size of a round.
  explicit ElasticWorld(size_t members_min) : members_min_(members_min) {}

  /// Takes the tasks as they are in the job's view now, with their addresses. A new address means a
  /// new attempt.
  void see(std::map<Index, std::string> view);
  /// An attempt of the task has arrived and waits for its first place.
  void arrive(Index index, uint64_t attempt);
  /// A member asks for its place again, and waits. Unknown ones are treated as newcomers.
  void ask_again(Index index);
  /// The attempt is gone. Does nothing if a newer one has arrived.
  void leave(Index index, uint64_t attempt);

  /// Forms a round if all that can are waiting. `without_late`: those of the view that have not
  /// arrived yet are no longer waited for. Returns whether there is a new round.
  [[nodiscard]] bool settle(bool without_late = false);

  /// 0: there was none yet.
  [[nodiscard]] uint64_t round() const { return round_; }
  /// By rank.
  [[nodiscard]] const std::vector<Index>& ranks() const { return ranks_; }
  /// Nothing for a task that has no part in the round.
  [[nodiscard]] std::optional<Place> place_of(Index index) const;
  [[nodiscard]] bool waits(Index index) const;
  /// Newcomers that the round lacks; they wait until its members ask again.
  [[nodiscard]] std::vector<Index> newcomers() const;

 private:
  struct Member {
    uint64_t attempt = 0;
    bool here = false;
    bool waits = false;
    bool is_new = true;   ///< Has no part in the round, whoever had the index before.
    std::string left_at;  ///< The address that it had in the view when it left.
  };
  /// Returns whether the next round must wait for the task, which is not waiting itself.
  [[nodiscard]] bool awaited(Index index, bool without_late) const;

  size_t members_min_;
  uint64_t round_ = 0;
  std::vector<Index> ranks_;
  std::map<Index, std::string> view_;
  std::map<Index, Member> members_;
};

}  // namespace muster::inside
