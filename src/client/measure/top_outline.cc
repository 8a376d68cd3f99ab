#include "client/measure/top_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

namespace muster::client {
namespace {

/// Sorts by weight; items of equal weight keep their order. (libstdc++ 12's stable_sort calls a
/// function that C++23 deprecates.)
template <class Item, class Weight>
void heaviest_first(std::vector<Item>& items, const Weight& weight) {
  std::multimap<double, Item, std::greater<>> sorted;
  for (Item& item : items) {
    const double key = weight(item);
    sorted.emplace(key, std::move(item));
  }
  std::ranges::transform(sorted, items.begin(),
                         [](auto& entry) { return std::move(entry.second); });
}

/// Roles with more tasks than this are folded until somebody opens them.
constexpr size_t kOpenTasksMax = 20;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
  });
  return result;
}

void add(std::optional<double>& sum, const std::optional<double>& value) {
  if (value) {
    sum = sum.value_or(0) + *value;
  }
}

/// "3 active, 1 waiting"
std::string states_text(const std::map<std::string, size_t>& states) {
  if (states.size() == 1) {
    return states.begin()->first;
  }
  std::string text;
  for (const auto& [state, count] : states) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
  }
  return text;
}

/// What several tasks use together: sums for what is used, means for shares and rates, and the
/// furthest step, as all tasks take the same steps.
class Together {
 public:
  void take(const TopUsage& usage, const std::vector<double>& history) {
    add(sum_.cpu, usage.cpu);
    add(sum_.memory_bytes, usage.memory_bytes);
    add(sum_.memory_limit_bytes, usage.memory_limit_bytes);
    add(sum_.gpu, usage.gpu);
    add(sum_.steps_per_second, usage.steps_per_second);
    gpus_ += usage.gpu ? 1 : 0;
    rates_ += usage.steps_per_second ? 1 : 0;
    if (usage.step && *usage.step >= sum_.step.value_or(-1)) {
      sum_.step = usage.step;
    }
    if (usage.steps_max) {
      sum_.steps_max = std::max(sum_.steps_max.value_or(0), *usage.steps_max);
    }
    if (history.size() > history_.size()) {
      history_.insert(history_.begin(), history.size() - history_.size(), 0);
    }
    for (size_t ago = 1; ago <= history.size(); ++ago) {
      history_[history_.size() - ago] += history[history.size() - ago];
    }
  }
  [[nodiscard]] TopUsage usage() const {
    TopUsage usage = sum_;
    if (usage.gpu) {
      usage.gpu = *usage.gpu / gpus_;
    }
    if (usage.steps_per_second) {
      usage.steps_per_second = *usage.steps_per_second / rates_;
    }
    return usage;
  }
  [[nodiscard]] const std::vector<double>& history() const { return history_; }

 private:
  TopUsage sum_;
  double gpus_ = 0;
  double rates_ = 0;
  std::vector<double> history_;
};

}  // namespace

bool TopOutline::is_folded(const std::string& key, size_t children) const {
  if (unfolded_all_ || unfolded_.contains(key)) {
    return false;
  }
  return folded_.contains(key) || children > kOpenTasksMax;
}

bool TopOutline::passes(const TopRow& row) const {
  const std::string wanted = lower(filter_);
  return lower(row.key).find(wanted) != std::string::npos ||
         lower(row.host).find(wanted) != std::string::npos ||
         lower(row.state).find(wanted) != std::string::npos;
}

double TopOutline::weight(const TopRow& row) const {
  switch (sort_) {
    case Sort::Name:
      return 0;
    case Sort::Cpu:
      return row.usage.cpu.value_or(-1);
    case Sort::Memory:
      return row.usage.memory_bytes.value_or(-1);
    case Sort::Gpu:
      return row.usage.gpu.value_or(-1);
    case Sort::Step:
      return row.usage.step.value_or(-1);
  }
  return 0;
}

void TopOutline::sort(std::vector<TopRow>& rows) const {
  if (sort_ != Sort::Name) {
    heaviest_first(rows, [this](const TopRow& row) { return weight(row); });
  }
  if (reversed_) {
    std::ranges::reverse(rows);
  }
}

/// Adds the role's row, and those of its tasks unless it is folded.
void TopOutline::add_role(const TopJob& job, const TopRole& role, unsigned depth,
                          std::vector<TopRow>& rows) const {
  std::vector<TopRow> tasks;
  Together together;
  std::map<std::string, size_t> states;
  for (const TopTask& task : role.tasks) {
    TopRow row;
    row.name = fmt::format("{}:{}", role.name, task.index);
    row.key = job.id + "/" + row.name;
    row.depth = depth + 1;
    row.state = task.attempt > 1 ? fmt::format("{} #{}", task.state, task.attempt) : task.state;
    row.host = task.host;
    row.usage = task.usage;
    row.history = task.cpu_history;
    together.take(task.usage, task.cpu_history);
    ++states[task.state];
    if (filter_.empty() || passes(row)) {
      tasks.push_back(std::move(row));
    }
  }
  TopRow own;
  own.key = job.id + "/" + role.name;
  own.name = fmt::format("{} ({})", role.name, role.tasks.size());
  own.level = TopRow::Level::Role;
  own.depth = depth;
  own.folded = filter_.empty() && is_folded(own.key, role.tasks.size());
  own.state = states_text(states);
  own.usage = together.usage();
  own.history = together.history();
  if (!filter_.empty() && tasks.empty()) {
    return;
  }
  const bool folded = own.folded;
  rows.push_back(std::move(own));
  if (!folded) {
    sort(tasks);
    std::ranges::move(tasks, std::back_inserter(rows));
  }
}

/// Returns the job's row, and those below it.
std::pair<TopRow, std::vector<TopRow>> TopOutline::job_rows(const TopJob& job,
                                                            unsigned depth) const {
  // Roles are sorted by their own rows; their tasks stay with them.
  std::vector<std::vector<TopRow>> roles;
  Together together;
  for (const TopRole& role : job.roles) {
    std::vector<TopRow>& block = roles.emplace_back();
    add_role(job, role, depth, block);
    if (block.empty()) {
      roles.pop_back();
    } else {
      together.take(block.front().usage, block.front().history);
    }
  }
  if (sort_ != Sort::Name) {
    heaviest_first(roles, [this](const auto& role) { return weight(role.front()); });
  }
  TopRow own;
  own.key = job.id;
  own.name = job.id;
  own.level = TopRow::Level::Job;
  own.state = job.phase;
  own.usage = together.usage();
  own.history = together.history();
  own.folded = filter_.empty() && is_folded(own.key, 0);
  std::vector<TopRow> below;
  for (std::vector<TopRow>& block : roles) {
    std::ranges::move(block, std::back_inserter(below));
  }
  return {std::move(own), std::move(below)};
}

std::vector<TopRow> TopOutline::rows(const std::vector<TopJob>& jobs) const {
  const bool several = jobs.size() > 1;
  std::vector<std::pair<TopRow, std::vector<TopRow>>> blocks;
  for (const TopJob& job : jobs) {
    auto block = job_rows(job, several ? 1 : 0);
    if (filter_.empty() || !block.second.empty() || passes(block.first)) {
      blocks.push_back(std::move(block));
    }
  }
  if (sort_ != Sort::Name) {
    heaviest_first(blocks, [this](const auto& block) { return weight(block.first); });
  }
  std::vector<TopRow> rows;
  for (auto& [job, below] : blocks) {
    const bool folded = job.folded;
    if (several) {
      rows.push_back(std::move(job));
    }
    if (jobs.size() == 1 || !folded) {
      std::ranges::move(below, std::back_inserter(rows));
    }
  }
  return rows;
}

void TopOutline::sort_by(Sort sort) {
  sort_ = sort;
  reversed_ = false;
}

void TopOutline::fold(const std::string& key, bool folded) {
  (folded ? folded_ : unfolded_).insert(key);
  (folded ? unfolded_ : folded_).erase(key);
}

}  // namespace muster::client
