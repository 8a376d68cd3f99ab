#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// What a placeholder in a ViewText stands for.
enum class ViewFact : uint8_t {
  Host,
  Port,
  Address,    ///< host:port, [host]:port for IPv6.
  NamedPort,  ///< `ports.NAME`
  Count,      ///< How many there are now.
  Min,        ///< How many the role needs.
  Hosts,      ///< Of all, in order, separated by commas.
  Addresses,  ///< Likewise.
  Role,
  Index,
  Rank,
  WorldSize,
  LocalRank,
  LocalSize,
  CrossRank,  ///< Which group of local ranks, among those that have this LocalRank.
  CrossSize,
  Job,
  Generation,
  Program,    ///< Muster's own binary on the task's host.
  Interface,  ///< The network interface of its address.
};

/// One placeholder: `{worker.0.host}`, `{worker.count}`, `{ranks.0.port}`, `{rank}`,
/// `{ports.http}`.
struct ViewPlace {
  std::string role;               ///< Empty: the task itself, or the job. "ranks": by RANK.
  std::optional<uint32_t> index;  ///< Of one task of `role`.
  ViewFact fact = ViewFact::Host;
  std::string port;  ///< Of NamedPort.
  bool operator==(const ViewPlace&) const = default;
};

/// A literal text, and the placeholder after it, if any.
struct ViewPiece {
  std::string text;
  std::optional<ViewPlace> place;
  bool operator==(const ViewPiece&) const = default;
};

/// The role name that stands for all ranked tasks in the order of RANK.
inline constexpr std::string_view kRanks = "ranks";

/// Parses a text with placeholders in braces for what the job's view says about its tasks; `{{` and
/// `}}` are literal braces. An error (the user's) says what is wrong with which placeholder.
[[nodiscard]] Result<std::vector<ViewPiece>> parse_view_text(std::string_view text);

}  // namespace muster::spec
