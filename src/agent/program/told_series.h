#pragma once

#include "base/time.h"
#include "scalars/progress.h"
#include "scalars/report_line.h"
#include "scalars/scalar.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// A value that a program reported, in the form of a sample.
struct Told {
  std::string name;  ///< "user.loss"; a valid series name.
  std::string unit;
  double value = 0;
  int64_t time_s = 0;  ///< Whole seconds since 1970.
  bool operator==(const Told&) const = default;
};

/// What one attempt's program reports about itself, as series: its own numbers as `user.NAME` and,
/// derived from its steps, `user.step`, `user.step.rate` and `user.step.max`. Programs report
/// thousands of numbers a second and flush files every other minute: of each series the last value
/// of each second is kept. Pure: the times are the caller's.
class ToldSeries {
 public:
  /// Names of one program: a program that makes up a name for each step would grow without end.
  static constexpr size_t kNamesMax = 90;
  /// Lines handled at once within a second; of those beyond, only the last is.
  static constexpr uint32_t kLinesPerSecond = 100;
  /// Values waiting to be taken; when full, the oldest are dropped.
  static constexpr size_t kWaitingMax = 20'000;

  /// The current time, by both clocks.
  struct Now {
    HostTime host;
    WallTime wall;
  };

  /// Takes a line of the report socket. Returns what is wrong with it, "" for nothing.
  std::string take_line(std::string_view line, Now now);
  /// Makes `run` the run that keeps its names, unless one already does; within one look, the first
  /// by name.
  void begin_run(const std::string& run);
  /// Takes a scalar of an event file. `run`: the file's folder below the log folder, "" for itself.
  /// The first run's scalars keep their names, those of others are called RUN/NAME.
  void take_event(const std::string& run, scalars::Scalar scalar, Now now);
  /// Returns what is new, by time, for the seconds that are over; each second is returned once.
  [[nodiscard]] std::vector<Told> take_away(Now now);
  /// Returns the same plus the second that is not over yet; for the end.
  [[nodiscard]] std::vector<Told> take_rest(Now now);

  /// Returns whether nothing was ever reported.
  [[nodiscard]] bool empty() const { return names_.empty() && !progress_.step(); }
  /// Names that had no room.
  [[nodiscard]] uint64_t names_refused() const { return names_refused_; }
  [[nodiscard]] const scalars::Progress& progress() const { return progress_; }

 private:
  std::string take_report(std::string_view line, Now now);
  void put_steps(Now now);
  [[nodiscard]] std::vector<Told> take_until(int64_t second);
  void put(const std::string& name, std::string_view unit, double value, WallTime at);
  void put_scalar(const scalars::Scalar& scalar, Now now);
  void event_step(const scalars::Scalar& scalar, HostTime at);
  [[nodiscard]] static WallTime time_of(const scalars::Scalar& scalar, Now now);

  std::map<std::string, std::string, std::less<>> names_;  ///< With their units.
  uint64_t names_refused_ = 0;
  std::map<std::pair<int64_t, std::string>, double> waiting_;  ///< By second and name.
  std::optional<std::string> main_run_;
  scalars::Progress progress_;
  bool steps_by_line_ = false;  ///< Steps from lines take precedence over steps from files.
  std::string stepping_;        ///< The scalar whose steps are the program's.
  std::string late_line_;       ///< The last beyond kLinesPerSecond.
  int64_t lines_second_ = 0;
  uint32_t lines_in_second_ = 0;
};

}  // namespace muster::agent
