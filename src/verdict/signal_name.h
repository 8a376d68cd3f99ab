#pragma once

#include "job/failure.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::verdict {

/// Linux signal numbers. Ring 0 does not include <csignal>.
inline constexpr int32_t kSigInt = 2;
inline constexpr int32_t kSigIll = 4;
inline constexpr int32_t kSigAbrt = 6;
inline constexpr int32_t kSigBus = 7;
inline constexpr int32_t kSigFpe = 8;
inline constexpr int32_t kSigKill = 9;
inline constexpr int32_t kSigSegv = 11;
inline constexpr int32_t kSigPipe = 13;
inline constexpr int32_t kSigTerm = 15;

/// Returns "SIGSEGV (11)", or "signal 63" for one without a name.
[[nodiscard]] std::string signal_name(int32_t number);

/// Returns the signal that ended a program, even if a shell passes it on as exit code 128 + n.
[[nodiscard]] std::optional<int32_t> signal_behind(const job::Exit& exit);

}  // namespace muster::verdict
