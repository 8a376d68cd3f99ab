#pragma once

#include "base/result.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/failure.h"
#include "job/outcome.h"
#include "wire/frame.h"

#include <fmt/format.h>

#include <string_view>

/// Enumerators on the wire are their position plus one; 0 is "unspecified" and never written.
/// enum_codec.cc checks the positions against the generated code.
namespace muster::wire {

/// Returns whether `value` is an enumerator. Exhaustive switches: a new enumerator does not compile
/// without its line.
[[nodiscard]] bool is_known(job::FailureKind value);
[[nodiscard]] bool is_known(job::Remedy value);
[[nodiscard]] bool is_known(job::RefusalKind value);
[[nodiscard]] bool is_known(job::AttemptReport::Phase value);
[[nodiscard]] bool is_known(job::LossReason value);
[[nodiscard]] bool is_known(job::ContainerEndKind value);
[[nodiscard]] bool is_known(job::HostHealth value);
[[nodiscard]] bool is_known(job::Sureness value);
[[nodiscard]] bool is_known(job::NoticeWay value);
[[nodiscard]] bool is_known(job::NoticeFate value);
[[nodiscard]] bool is_known(job::StopReason value);
[[nodiscard]] bool is_known(job::JobResult value);
[[nodiscard]] bool is_known(job::OutcomeReason value);
[[nodiscard]] bool is_known(OutputStream value);
[[nodiscard]] bool is_known(StreamFault value);

template <class Wire, class Enum>
[[nodiscard]] constexpr Wire enum_to_wire(Enum value) {
  return static_cast<Wire>(static_cast<int>(value) + 1);
}

/// Corrupt for 0 and for every value this version does not know. `what` names the field.
template <class Enum>
Status enum_from_wire(int wire, Enum& value, std::string_view what) {
  const auto candidate = static_cast<Enum>(wire - 1);
  if (wire < 1 || wire > 255 || !is_known(candidate)) {
    return Error{Errc::Corrupt, Blame::Muster, fmt::format("unknown {} {}", what, wire)};
  }
  value = candidate;
  return {};
}

}  // namespace muster::wire
