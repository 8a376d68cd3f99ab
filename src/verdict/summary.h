#pragma once

#include "job/outcome.h"
#include "job/plan.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace muster::verdict {

/// How a summary is written.
struct SummaryStyle {
  std::string log_path;  ///< Where the first cause's output lies; empty: not shown.
  /// The terminal's width, at least 60; only the log's path may be longer. kUnbounded without a
  /// terminal: then no line is cut or wrapped.
  size_t columns = 80;
  bool colour = false;  ///< Adds ANSI colours; nothing else depends on it.
};

/// SummaryStyle::columns if no terminal sets a width.
inline constexpr size_t kUnbounded = SIZE_MAX;

/// At most this many lines, whatever happened.
inline constexpr size_t kSummaryLinesMax = 20;

/// Returns what `muster run` prints at the end of a job: how it ended and why; after a failure the
/// first cause with its last words, how many others ended because of it, what to do and where the
/// log is. At most kSummaryLinesMax lines, each with its newline.
[[nodiscard]] std::string render_summary(const job::Plan& plan, const job::Outcome& outcome,
                                         const SummaryStyle& style);

/// Returns a failure's class with its meaning: "user.import: a Python import failed".
[[nodiscard]] std::string class_line(const job::Failure& failure);

/// Returns what people can do about a failure: what its output showed, else the general advice of
/// its class; "" only for classes invented by users' own rules.
[[nodiscard]] std::string advice_on(const job::Failure& failure);

}  // namespace muster::verdict
