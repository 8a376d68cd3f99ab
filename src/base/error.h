#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace muster {

/// Whose move it is after an error: decided where the error is noticed, never guessed later.
enum class Blame : uint8_t {
  User,     ///< The input is wrong; the user can fix it.
  Program,  ///< The user's own program failed.
  Cluster,  ///< A host, network or service failed; trying again can help.
  Muster,   ///< A bug in Muster.
};

/// What callers branch on. A code exists only if some caller reacts to it; everything else is
/// Other.
enum class Errc : uint8_t {
  Other,
  InvalidArgument,
  NotFound,
  AlreadyExists,
  PermissionDenied,
  Unavailable,  ///< Nobody answered, or the connection broke.
  DeadlineExceeded,
  Cancelled,
  Corrupt,  ///< Stored or received bytes are damaged.
  OutOfSpace,
  NeverFits,  ///< A well-formed ask that can never be granted.
  Unauthenticated,
  Unsupported,  ///< This kernel or host lacks what is needed.
};

/// One failure. `message` is a static sentence, then values; no trailing full stop; it names the
/// thing and what the user can do.
struct Error {
  Errc code = Errc::Other;
  Blame blame = Blame::Muster;
  std::string message;

  /// Returns the same error with `context` put before the message: "context: message".
  [[nodiscard]] Error within(std::string_view context) const;

  bool operator==(const Error&) const = default;
};

/// Shorthands for the common blames.
[[nodiscard]] Error user_error(std::string message, Errc code = Errc::InvalidArgument);
[[nodiscard]] Error cluster_error(std::string message, Errc code = Errc::Unavailable);
[[nodiscard]] Error bug(std::string message);

/// Returns an error for `errno_value` as "what: strerror text", with its code and blame derived
/// from it.
[[nodiscard]] Error system_error(int errno_value, std::string_view what);

/// The stable lower-case names, for JSON and logs.
[[nodiscard]] std::string_view to_string(Blame blame);
[[nodiscard]] std::string_view to_string(Errc code);

}  // namespace muster
