#pragma once

#include "base/error.h"
#include "base/result.h"

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace muster::hadoop::rpc {

/// Why a call has no reply: an Error for users, and the code that callers branch on.
struct Failure {
  Error error;
  /// The Java class of a RemoteException ("java.io.FileNotFoundException"); empty when the failure
  /// is not an answer of the server.
  std::string exception_class;
  /// The server may have done what was asked: the connection broke or the deadline passed after the
  /// request had gone out.
  bool may_be_done = false;

  Failure() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): an Error of our own side is a Failure.
  Failure(Error own) : error(std::move(own)) {}

  /// True if the server threw the class of this simple or full name: "StandbyException" or
  /// "org.apache.hadoop.ipc.StandbyException". Nested classes: "SecretManager$InvalidToken".
  [[nodiscard]] bool is(std::string_view java_class) const;
};

/// A value or a Failure.
template <class T>
class [[nodiscard]] OutcomeOf : public std::expected<T, Failure> {
 public:
  using Base = std::expected<T, Failure>;
  using Base::Base;
  // NOLINTNEXTLINE(google-explicit-constructor): `return error;` is the point.
  OutcomeOf(Error error) : Base(std::unexpected(Failure(std::move(error)))) {}
  // NOLINTNEXTLINE(google-explicit-constructor): `return failure;` is the point.
  OutcomeOf(Failure failure) : Base(std::unexpected(std::move(failure))) {}
};

/// How a call ended. Where only the Error matters: `.error().error`.
using Outcome = OutcomeOf<void>;

}  // namespace muster::hadoop::rpc
