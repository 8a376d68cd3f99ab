#pragma once

#include "agent/checkpoint/checkpoint_store.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How every checkpoint store names what lies in it, and which commits it refuses.
namespace muster::agent {

/// Written last into each checkpoint.
inline constexpr const char* kCheckpointManifest = ".muster-manifest";

/// "ckpt-00000012"
[[nodiscard]] std::string checkpoint_name(uint64_t number);
/// Nothing for any other name.
[[nodiscard]] std::optional<uint64_t> parse_checkpoint_name(std::string_view name);

/// A copy under way, of the agent `writer`: ".incoming-WRITER-3".
[[nodiscard]] std::string incoming_name(std::string_view writer, uint64_t count);
[[nodiscard]] bool is_incoming_of(std::string_view name, std::string_view writer);

/// The master's grant may be older than what another generation has committed since. Returns an
/// error if `newest`, the newest committed one, is of the same job and a later generation.
[[nodiscard]] Status refuse_older(const CheckpointManifest& newest,
                                  const CheckpointManifest& manifest);

}  // namespace muster::agent
