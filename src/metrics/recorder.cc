#include "metrics/recorder.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace muster::metrics {
namespace {

constexpr int kMetricBits = 16;
/// Per block: subjects times columns times its times. A window with more makes several blocks.
constexpr size_t kBlockValuesMax = 4U << 20;

constexpr uint64_t key_of(uint32_t subject, uint32_t metric) {
  return (uint64_t{subject} << kMetricBits) | metric;
}
constexpr uint32_t subject_in(uint64_t key) { return static_cast<uint32_t>(key >> kMetricBits); }
constexpr uint32_t metric_in(uint64_t key) {
  return static_cast<uint32_t>(key & ((1U << kMetricBits) - 1));
}

Metric metric_numbered(uint32_t number, const std::vector<Metric>& own) {
  const size_t builtin = builtins().size();
  return number < builtin ? metric_of(static_cast<Builtin>(number)) : own[number - builtin];
}

}  // namespace

Recorder::Taken Recorder::add(const Subject& subject, Builtin metric, int64_t time_s, double value,
                              int64_t now_s) {
  if (!std::isfinite(value)) {
    return Taken::NotFinite;
  }
  return add(subject, static_cast<uint32_t>(metric), time_s, value, now_s);
}

Recorder::Taken Recorder::add(const Subject& subject, const Metric& metric, int64_t time_s,
                              double value, int64_t now_s) {
  const std::optional<uint32_t> number = number_of(metric);
  return number ? add(subject, *number, time_s, value, now_s) : Taken::TooMany;
}

Recorder::Taken Recorder::add(const Subject& subject, uint32_t metric, int64_t time_s, double value,
                              int64_t now_s) {
  if (time_s > now_s + kEarlyMax || time_s < now_s - kLateMax) {
    return Taken::WrongTime;
  }
  const std::optional<uint32_t> number = number_of(subject);
  if (!number || !put(levels_[0], key_of(*number, metric), time_s, value, 1)) {
    return Taken::TooMany;
  }
  return Taken::Yes;
}

std::optional<uint32_t> Recorder::number_of(const Subject& subject) {
  if (const auto found = subject_numbers_.find(subject); found != subject_numbers_.end()) {
    return found->second;
  }
  if (subject_numbers_.size() >= kSubjectsKept) {
    forget_subjects();
    if (subject_numbers_.size() >= kSubjectsKept) {
      return std::nullopt;
    }
  }
  const uint32_t number = next_subject_++;
  subject_numbers_.emplace(subject, number);
  subjects_.emplace(number, subject);
  return number;
}

/// Forgets subjects without a row in any window: attempts that ended long ago.
void Recorder::forget_subjects() {
  std::set<uint32_t> used;
  for (const Level& level : levels_) {
    for (const auto& [start, window] : level.windows) {
      for (const auto& [key, row] : window) {
        used.insert(subject_in(key));
      }
    }
  }
  std::erase_if(subject_numbers_, [&](const auto& entry) { return !used.contains(entry.second); });
  std::erase_if(subjects_, [&](const auto& entry) { return !used.contains(entry.first); });
}

std::optional<uint32_t> Recorder::number_of(const Metric& metric) {
  const auto builtin = static_cast<uint32_t>(builtins().size());
  if (const auto found = own_names_.find(metric.name); found != own_names_.end()) {
    return builtin + found->second;  // With the unit and kind with which it came first.
  }
  if (const BuiltinMetric* const row = find_builtin(metric.name)) {
    return static_cast<uint32_t>(row->id);
  }
  if (own_metrics_.size() >= kOwnNamesMax) {
    return std::nullopt;
  }
  const auto number = static_cast<uint32_t>(own_metrics_.size());
  own_names_.emplace(metric.name, number);
  own_metrics_.push_back(metric);
  return builtin + number;
}

bool Recorder::put(Level& level, Key key, int64_t time_s, double value, uint16_t count) {
  const int64_t start = floor_time(time_s, level.span_s());
  Window& window = level.windows[start];
  const auto found = window.find(key);
  if (found == window.end()) {
    if (level.rows >= kRowsMax) {
      return false;
    }
    ++level.rows;
  }
  Row& row = found == window.end() ? window[key] : found->second;
  const auto slot = static_cast<size_t>((time_s - start) / level.step_s);
  const bool gauge = metric_numbered(metric_in(key), own_metrics_).kind == Kind::Gauge;
  // A program's last value in a second counts: the mean of two steps is a step that never was.
  const bool told = level.step_s == 1 && metric_in(key) >= builtins().size();
  const uint16_t before = row.counts[slot];
  const auto together = static_cast<uint16_t>(std::min(before + count, 60'000));
  row.values[slot] = gauge && !told && before > 0
                         ? row.values[slot] + (value - row.values[slot]) * count / together
                         : value;
  row.counts[slot] = together;
  return true;
}

std::vector<Block> Recorder::take_closed(int64_t now_s, bool all) {
  std::vector<Block> blocks;
  for (Level& level : levels_) {
    // A coarser window waits for the last of the finer ones.
    const int64_t wait = kGrace + (level.step_s == 1 ? 0 : levels_[0].span_s());
    while (!level.windows.empty() &&
           (all || level.windows.begin()->first + level.span_s() + wait <= now_s)) {
      const auto oldest = level.windows.begin();
      add_blocks_of(level, oldest->first, oldest->second, blocks);
      if (level.step_s == 1) {
        pass_on(oldest->second, oldest->first, levels_[1]);
        pass_on(oldest->second, oldest->first, levels_[2]);
      }
      level.rows -= oldest->second.size();
      level.windows.erase(oldest);
    }
  }
  return blocks;
}

/// Passes a window of seconds on to a coarser level, where it is part of one step.
void Recorder::pass_on(const Window& window, int64_t start_s, Level& to) {
  for (const auto& [key, row] : window) {
    const bool gauge = metric_numbered(metric_in(key), own_metrics_).kind == Kind::Gauge;
    double sum = 0;
    uint16_t count = 0;
    for (size_t slot = 0; slot < row.values.size(); ++slot) {
      if (row.counts[slot] > 0) {
        sum = gauge ? sum + row.values[slot] : row.values[slot];
        ++count;
      }
    }
    (void)put(to, key, start_s, gauge ? sum / count : sum, count);
  }
}

void Recorder::restore(const Block& block, uint32_t step_s) {
  const auto to = std::ranges::find(levels_, step_s, &Level::step_s);
  if (block.step_s != 1 || block.times > kWindowTimesMax || to == levels_.end()) {
    return;
  }
  Window window;
  for (const Column& column : block.columns) {
    const std::optional<uint32_t> metric = number_of(column.metric);
    for (size_t s = 0; metric && s < block.subjects.size(); ++s) {
      const std::optional<uint32_t> subject = number_of(block.subjects[s]);
      for (uint32_t t = 0; subject && t < block.times; ++t) {
        if (column.present[s * block.times + t]) {
          Row& row = window[key_of(*subject, *metric)];
          row.values[t] = column.values[s * block.times + t];
          row.counts[t] = 1;
        }
      }
    }
  }
  pass_on(window, block.start_s, *to);
}

/// Returns a block's directory for these keys, and where each key's row and column are.
Block Recorder::shape(const std::vector<Key>& keys, int64_t start_s, uint32_t step_s,
                      uint32_t times, std::vector<size_t>& rows,
                      std::vector<size_t>& columns) const {
  std::map<uint32_t, size_t> of_subject;
  std::map<uint32_t, size_t> of_metric;
  for (const Key key : keys) {
    of_subject.emplace(subject_in(key), 0);
    of_metric.emplace(metric_in(key), 0);
  }
  Block block{.start_s = start_s, .step_s = step_s, .times = times, .subjects = {}, .columns = {}};
  std::vector<std::pair<const Subject*, size_t*>> order;
  for (auto& [number, at] : of_subject) {
    order.emplace_back(&subjects_.at(number), &at);
  }
  std::ranges::sort(order, [](const auto& a, const auto& b) { return *a.first < *b.first; });
  for (const auto& [subject, at] : order) {
    *at = block.subjects.size();
    block.subjects.push_back(*subject);
  }
  const size_t cells = block.subjects.size() * times;
  for (auto& [number, at] : of_metric) {
    at = block.columns.size();
    block.columns.push_back({.metric = metric_numbered(number, own_metrics_),
                             .values = std::vector<double>(cells),
                             .present = std::vector<bool>(cells)});
  }
  for (const Key key : keys) {
    rows.push_back(of_subject.at(subject_in(key)));
    columns.push_back(of_metric.at(metric_in(key)));
  }
  return block;
}

void Recorder::add_blocks_of(const Level& level, int64_t start_s, const Window& window,
                             std::vector<Block>& blocks) const {
  std::vector<Key> keys;
  std::set<uint32_t> metrics;
  for (const auto& [key, row] : window) {
    keys.push_back(key);
    metrics.insert(metric_in(key));
  }
  std::ranges::sort(keys);
  const size_t subjects_max = kBlockValuesMax / (level.times * std::max<size_t>(metrics.size(), 1));
  std::vector<Key> part;
  size_t subjects = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    subjects += i == 0 || subject_in(keys[i]) != subject_in(keys[i - 1]) ? 1 : 0;
    if (subjects > subjects_max) {
      blocks.push_back(block_of(level, start_s, window, std::exchange(part, {})));
      subjects = 1;
    }
    part.push_back(keys[i]);
  }
  if (!part.empty()) {
    blocks.push_back(block_of(level, start_s, window, part));
  }
}

Block Recorder::block_of(const Level& level, int64_t start_s, const Window& window,
                         const std::vector<Key>& keys) const {
  std::vector<size_t> rows;
  std::vector<size_t> columns;
  Block block = shape(keys, start_s, level.step_s, level.times, rows, columns);
  for (size_t i = 0; i < keys.size(); ++i) {
    const Row& row = window.at(keys[i]);
    Column& column = block.columns[columns[i]];
    const bool rounds = level.step_s == kSteps.back() && column.metric.kind == Kind::Gauge &&
                        find_builtin(column.metric.name) != nullptr;
    for (size_t slot = 0; slot < level.times; ++slot) {
      const size_t cell = rows[i] * level.times + slot;
      column.present[cell] = row.counts[slot] > 0;
      column.values[cell] = rounds ? coarse_value(row.values[slot]) : row.values[slot];
    }
  }
  return block;
}

std::vector<Block> Recorder::open_windows(uint32_t step_s) const {
  std::vector<Block> blocks;
  for (const Level& level : levels_) {
    if (level.step_s == step_s) {
      for (const auto& [start, window] : level.windows) {
        add_blocks_of(level, start, window, blocks);
      }
    }
  }
  return blocks;
}

Block Recorder::latest(int64_t now_s, int64_t age_max) const {
  std::map<Key, double> last;
  for (const auto& [start, window] : levels_[0].windows) {
    for (const auto& [key, row] : window) {
      for (size_t slot = 0; slot < levels_[0].times; ++slot) {
        if (row.counts[slot] > 0 && start + static_cast<int64_t>(slot) >= now_s - age_max) {
          last[key] = row.values[slot];
        }
      }
    }
  }
  std::vector<Key> keys;
  for (const auto& [key, value] : last) {
    keys.push_back(key);
  }
  std::vector<size_t> rows;
  std::vector<size_t> columns;
  Block block = shape(keys, now_s, 1, 1, rows, columns);
  for (size_t i = 0; i < keys.size(); ++i) {
    block.columns[columns[i]].values[rows[i]] = last[keys[i]];
    block.columns[columns[i]].present[rows[i]] = true;
  }
  return block;
}

bool Recorder::empty() const {
  return std::ranges::all_of(levels_, [](const Level& level) { return level.windows.empty(); });
}

}  // namespace muster::metrics
