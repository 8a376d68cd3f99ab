#pragma once

#include "client/measure/top_jobs.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::client {

/// A row of the table of `muster top`: a job, one of its roles, or a task.
struct TopRow {
  enum class Level : uint8_t { Job, Role, Task };
  std::string key;   ///< "digits-x", "digits-x/worker", "digits-x/worker:3".
  std::string name;  ///< As shown, without its place in the tree.
  Level level = Level::Task;
  unsigned depth = 0;
  bool folded = false;
  std::string state;
  std::string host;
  TopUsage usage;
  std::vector<double> history;
};

/// Which rows there are, and in which order. Jobs fold into roles, and roles into tasks; a folded
/// row shows what its tasks use together. Pure.
class TopOutline {
 public:
  enum class Sort : uint8_t { Name, Cpu, Memory, Gpu, Step };

  /// `unfolded`: nothing is folded, however large.
  explicit TopOutline(bool unfolded) : unfolded_all_(unfolded) {}

  [[nodiscard]] std::vector<TopRow> rows(const std::vector<TopJob>& jobs) const;

  /// Sorts the largest first; by name, in the order in which the jobs are given.
  void sort_by(Sort sort);
  void reverse() { reversed_ = !reversed_; }
  /// Folds or unfolds the row of this key.
  void fold(const std::string& key, bool folded);
  /// Shows only rows whose key, host or state contains this text, and the rows they belong to; ""
  /// shows all.
  void set_filter(std::string filter) { filter_ = std::move(filter); }
  [[nodiscard]] const std::string& filter() const { return filter_; }

 private:
  [[nodiscard]] std::pair<TopRow, std::vector<TopRow>> job_rows(const TopJob& job,
                                                                unsigned depth) const;
  void add_role(const TopJob& job, const TopRole& role, unsigned depth,
                std::vector<TopRow>& rows) const;
  void sort(std::vector<TopRow>& rows) const;
  [[nodiscard]] double weight(const TopRow& row) const;
  [[nodiscard]] bool passes(const TopRow& row) const;
  [[nodiscard]] bool is_folded(const std::string& key, size_t children) const;

  bool unfolded_all_;
  Sort sort_ = Sort::Name;
  bool reversed_ = false;
  std::string filter_;
  std::set<std::string> folded_, unfolded_;  ///< By hand.
};

}  // namespace muster::client
