#pragma once

#include "base/time.h"
#include "net/address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

/// The forms in which Hadoop writes values. All trim; nothing means: not of that form.

/// "true" or "false" in any case.
[[nodiscard]] std::optional<bool> parse_flag(std::string_view text);

/// A whole number, decimal or 0x...
[[nodiscard]] std::optional<int64_t> parse_number(std::string_view text);

/// A number of bytes with an optional binary unit k, m, g, t, p, e in any case: "128m".
[[nodiscard]] std::optional<int64_t> parse_size(std::string_view text);

/// A number with an optional unit ns, us, ms, s, m, h, d; without one it counts `unit`s. Parts of a
/// microsecond are cut off.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text, Duration unit);

/// The parts between commas, trimmed, empty ones left out.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view text);

/// "host:port", "host" (then `default_port`; 0: a port is needed) or "scheme://host:port/...".
[[nodiscard]] std::optional<net::HostPort> parse_address(std::string_view text,
                                                         uint16_t default_port);

}  // namespace muster::hadoop
