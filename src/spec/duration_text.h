#pragma once

#include "base/result.h"
#include "base/time.h"
#include "spec/settings.h"

#include <string>
#include <string_view>

namespace muster::spec {

/// Returns the duration of a text like "250ms", "15s", "10m", "12h": a whole number and one of us,
/// ms, s, m, h, d. The error says what is wrong with `text` without naming the key: "`5min` is not
/// a duration; did you mean `5m`?".
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// Returns the shortest exact text: "90s", "1m", "0s". `parse_duration` reads it back.
[[nodiscard]] std::string duration_text(Duration duration);

/// Reads and writes a range of waits: "1s..1m". The low end is never above the high one.
[[nodiscard]] Result<Backoff> parse_backoff(std::string_view text);
[[nodiscard]] std::string backoff_text(const Backoff& backoff);

}  // namespace muster::spec
