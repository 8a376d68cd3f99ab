#pragma once

#include "metrics/block.h"
#include "metrics/series.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace muster::metrics {

/// The steps in which samples are kept.
inline constexpr std::array<uint32_t, 3> kSteps = {1, 10, 60};
/// How many of them one window has. Windows of seconds are short: they are what a master's death
/// may lose.
inline constexpr std::array<uint32_t, 3> kTimesOfWindow = {5, 10, 10};
inline constexpr uint32_t kWindowTimesMax = 10;

/// Gathers samples into windows of some steps, for each of kSteps, and returns a window as a block
/// when its time is over. Pure: the times are the caller's, in seconds since 1970.
///
/// Samples may arrive late and in any order, up to kLateMax: a window that is made again for them
/// yields one more block of the same times. What is too late, too early, not finite where it must
/// be, or too much is refused and counted. Memory is limited by the bounds below, whatever arrives.
class Recorder {
 public:
  /// How old a sample may be: programs write their scalars every two minutes by default.
  static constexpr int64_t kLateMax = 600;
  /// How far ahead of `now` a sample may be.
  static constexpr int64_t kEarlyMax = 2;
  /// How long after its end a window waits for samples still under way.
  static constexpr int64_t kGrace = 2;
  static constexpr size_t kRowsMax = 400'000;      ///< Series of all open windows of one step.
  static constexpr size_t kSubjectsKept = 20'000;  ///< Of all open windows.
  static constexpr size_t kOwnNamesMax = 256;      ///< Other than Muster's own, in a master's life.

  enum class Taken : uint8_t { Yes, WrongTime, TooMany, NotFinite };

  /// Takes a value at `time_s`. Muster's own metrics must be finite.
  Taken add(const Subject& subject, Builtin metric, int64_t time_s, double value, int64_t now_s);
  /// The same for any metric that check_metric() has accepted.
  Taken add(const Subject& subject, const Metric& metric, int64_t time_s, double value,
            int64_t now_s);

  /// Returns the windows whose time is over, oldest first, finest first; with `all`, every window.
  [[nodiscard]] std::vector<Block> take_closed(int64_t now_s, bool all = false);
  /// Returns the windows of one step that are still open, as far as they go.
  [[nodiscard]] std::vector<Block> open_windows(uint32_t step_s) const;
  /// Returns the last value of each series within the last `age_max` seconds, as a block of one
  /// time: `now`.
  [[nodiscard]] Block latest(int64_t now_s, int64_t age_max) const;
  /// Returns whether no window is open.
  [[nodiscard]] bool empty() const;
  /// Passes a block of seconds from an earlier master on to the windows of another step, so that
  /// what was gathered for them is not lost in a takeover.
  void restore(const Block& block, uint32_t step_s);

 private:
  /// The number of a subject and that of a metric.
  using Key = uint64_t;
  struct Row {
    std::array<double, kWindowTimesMax> values{};
    std::array<uint16_t, kWindowTimesMax> counts{};  ///< How many were averaged; 0: there is none.
  };
  using Window = std::unordered_map<Key, Row>;
  struct Level {
    uint32_t step_s = 1;
    uint32_t times = 1;
    std::map<int64_t, Window> windows;  ///< By their beginnings.
    size_t rows = 0;                    ///< Of all of them.

    [[nodiscard]] int64_t span_s() const { return int64_t{step_s} * times; }
  };

  [[nodiscard]] std::optional<uint32_t> number_of(const Subject& subject);
  [[nodiscard]] std::optional<uint32_t> number_of(const Metric& metric);
  Taken add(const Subject& subject, uint32_t metric, int64_t time_s, double value, int64_t now_s);
  bool put(Level& level, Key key, int64_t time_s, double value, uint16_t count);
  void pass_on(const Window& window, int64_t start_s, Level& to);
  void add_blocks_of(const Level& level, int64_t start_s, const Window& window,
                     std::vector<Block>& blocks) const;
  [[nodiscard]] Block block_of(const Level& level, int64_t start_s, const Window& window,
                               const std::vector<Key>& keys) const;
  [[nodiscard]] Block shape(const std::vector<Key>& keys, int64_t start_s, uint32_t step_s,
                            uint32_t times, std::vector<size_t>& rows,
                            std::vector<size_t>& columns) const;
  void forget_subjects();

  std::array<Level, kSteps.size()> levels_{{{kSteps[0], kTimesOfWindow[0], {}, 0},
                                            {kSteps[1], kTimesOfWindow[1], {}, 0},
                                            {kSteps[2], kTimesOfWindow[2], {}, 0}}};
  std::map<Subject, uint32_t> subject_numbers_;
  std::map<uint32_t, Subject> subjects_;
  uint32_t next_subject_ = 0;
  std::map<std::string, uint32_t> own_names_;  ///< Numbers into `own_metrics_`.
  std::vector<Metric> own_metrics_;
};

}  // namespace muster::metrics
