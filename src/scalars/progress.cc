#include "scalars/progress.h"

#include <algorithm>

namespace muster::scalars {
namespace {

constexpr Duration kWindow = std::chrono::seconds(30);
/// Programs may report thousands of steps a second: marks are at least this far apart.
constexpr Duration kBetweenMarks = std::chrono::milliseconds(250);

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void Progress::reached(int64_t step, HostTime at) {
  if (!first_at_) {
    first_at_ = at;
  }
  if (!marks_.empty() && (step < marks_.back().step || at < marks_.back().at)) {
    marks_.clear();
  }
  if (!marks_.empty() && step == marks_.back().step) {
    return;  // The same step reported by several scalars, or a long one.
  }
  // The newest mark moves along until it is far enough from the one before.
  const size_t count = marks_.size();
  if (count >= 2 && at - marks_[count - 2].at < kBetweenMarks) {
    marks_.back() = {.step = step, .at = at};
  } else {
    marks_.push_back({.step = step, .at = at});
  }
  while (marks_.size() > 2 && marks_.front().at < at - kWindow) {
    marks_.pop_front();
  }
}

void Progress::expects(int64_t max_steps) {
  max_steps_ = max_steps > 0 ? std::optional(max_steps) : std::nullopt;
}

std::optional<int64_t> Progress::step() const {
  return marks_.empty() ? std::nullopt : std::optional(marks_.back().step);
}

std::optional<double> Progress::steps_per_second(HostTime now) const {
  if (marks_.size() < 2 || marks_.back().at <= marks_.front().at) {
    return std::nullopt;
  }
  const Mark& first = marks_.front();
  const Mark& last = marks_.back();
  const auto steps = static_cast<double>(last.step - first.step);
  const Duration usual = (last.at - first.at) / static_cast<int64_t>(marks_.size() - 1);
  // A program that is silent for more than twice as long as usual has become slower; only time will
  // tell by how much.
  const Duration silent = std::max<Duration>(now - last.at - 2 * usual, Duration::zero());
  return steps / seconds_of(last.at - first.at + silent);
}

}  // namespace muster::scalars
