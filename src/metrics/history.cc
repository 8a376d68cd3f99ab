#include "metrics/history.h"

#include <algorithm>
#include <utility>

namespace muster::metrics {
bool SeriesReader::covers(int64_t start_s, int64_t end_s, uint32_t step_s) const {
  return end_s > query_.from_s && start_s < query_.until_s && step_s <= query_.step_s;
}

void SeriesReader::add(std::string_view block) {
  const Result<BlockView> view = BlockView::open(block);
  if (!view ||
      !covers(view->start_s(), view->start_s() + int64_t{view->times()} * view->step_s(),
              view->step_s()) ||
      std::ranges::none_of(view->subjects(),
                           [&](const Subject& subject) { return query_.wants(subject); })) {
    return;
  }
  for (size_t i = 0; i < view->columns(); ++i) {
    if (!query_.wants(view->metric(i))) {
      continue;
    }
    if (const Result<Column> column = view->column(i)) {
      add_column(view->subjects(), view->start_s(), view->step_s(), view->times(), *column);
    }
  }
}

void SeriesReader::add(const Block& block) {
  if (!covers(block.start_s, block.end_s(), block.step_s)) {
    return;
  }
  for (const Column& column : block.columns) {
    if (query_.wants(column.metric)) {
      add_column(block.subjects, block.start_s, block.step_s, block.times, column);
    }
  }
}

void SeriesReader::add_column(const std::vector<Subject>& subjects, int64_t start_s,
                              uint32_t step_s, uint32_t times, const Column& column) {
  for (size_t s = 0; s < subjects.size(); ++s) {
    if (!query_.wants(subjects[s])) {
      continue;
    }
    std::map<int64_t, Sum>* points = nullptr;
    for (uint32_t t = 0; t < times; ++t) {
      const int64_t time = start_s + int64_t{t} * step_s;
      if (!column.present[s * times + t] || time < query_.from_s || time >= query_.until_s) {
        continue;
      }
      if (points == nullptr) {
        points = &series_[{subjects[s], column.metric}];
      }
      add_value(*points, column.metric.kind, time, step_s, column.values[s * times + t]);
    }
  }
}

void SeriesReader::add_value(std::map<int64_t, Sum>& points, Kind kind, int64_t time_s,
                             uint32_t step_s, double value) {
  const auto [at, fresh] = points.try_emplace(floor_time(time_s, query_.step_s));
  points_ += fresh ? 1 : 0;
  Sum& sum = at->second;
  if (!fresh && step_s > sum.step_s) {
    return;  // The existing value is finer.
  }
  const bool repeats = step_s == query_.step_s || step_s < sum.step_s || sum.count == 0;
  if (kind == Kind::Counter) {
    if (time_s >= sum.last_s || repeats) {
      sum.value = value;
    }
    sum.count = 1;
  } else if (repeats) {
    sum.value = value;
    sum.count = 1;
  } else {
    ++sum.count;
    sum.value += (value - sum.value) / sum.count;
  }
  sum.last_s = std::max(sum.last_s, time_s);
  sum.step_s = step_s;
}

std::vector<Series> SeriesReader::take() {
  std::vector<Series> all;
  all.reserve(series_.size());
  for (const auto& [key, points] : series_) {
    Series& series = all.emplace_back();
    series.subject = key.first;
    series.metric = key.second;
    series.points.reserve(points.size());
    for (const auto& [time, sum] : points) {
      series.points.push_back({.time_s = time, .value = sum.value});
    }
  }
  series_.clear();
  points_ = 0;
  return all;
}

size_t History::share_of(size_t level) const {
  // Seconds need the most: they get half, and the other two a quarter each.
  return level == 0 ? bytes_max_ / 2 : bytes_max_ / 4;
}

void History::keep(int64_t end_s, uint32_t step_s, std::string encoded) {
  const auto found = std::ranges::find(kSteps, step_s);
  if (found == kSteps.end()) {
    return;
  }
  const auto level = static_cast<size_t>(found - kSteps.begin());
  Ring& ring = rings_[level];
  ring.bytes += encoded.size();
  ring.blocks.push_back({.end_s = end_s, .bytes = std::move(encoded)});
  while (ring.blocks.size() > kBlocksMax ||
         (ring.bytes > share_of(level) && ring.blocks.size() > 1)) {
    ring.bytes -= ring.blocks.front().bytes.size();
    ring.blocks.pop_front();
  }
}

std::vector<std::string_view> History::blocks(uint32_t step_s, int64_t from_s) const {
  std::vector<std::string_view> found;
  for (size_t level = 0; level < kSteps.size(); ++level) {
    if (kSteps[level] != step_s) {
      continue;
    }
    for (const Kept& kept : rings_[level].blocks) {
      if (kept.end_s > from_s) {
        found.push_back(kept.bytes);
      }
    }
  }
  return found;
}

size_t History::bytes() const {
  size_t sum = 0;
  for (const Ring& ring : rings_) {
    sum += ring.bytes;
  }
  return sum;
}

}  // namespace muster::metrics
