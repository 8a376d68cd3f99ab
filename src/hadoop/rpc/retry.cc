#include "hadoop/rpc/retry.h"

#include <algorithm>
#include <utility>

namespace muster::hadoop::rpc {
namespace {

NextStep after_exception(const Failure& failure, const Attempted& attempted) {
  if (failure.is("StandbyException") || failure.is("ObserverRetryOnActiveException")) {
    return NextStep::OtherServer;
  }
  if (failure.is("RetriableException")) {
    return NextStep::SameServer;
  }
  if (attempted.kerberos && failure.is("SaslException")) {
    return NextStep::SameServer;
  }
  return NextStep::GiveUp;
}

}  // namespace

NextStep next_step(const Failure& failure, const Attempted& attempted) {
  if (!failure.exception_class.empty()) {
    return after_exception(failure, attempted);
  }
  switch (failure.error.code) {
    case Errc::Unavailable:
    case Errc::DeadlineExceeded:
      return failure.may_be_done && attempted.repetition == Repetition::NotRepeated
                 ? NextStep::GiveUp
                 : NextStep::OtherServer;
    case Errc::NotFound:  // The host's name.
      return attempted.servers > 1 ? NextStep::OtherServer : NextStep::GiveUp;
    case Errc::Other:
    case Errc::InvalidArgument:
    case Errc::AlreadyExists:
    case Errc::PermissionDenied:
    case Errc::Cancelled:
    case Errc::Corrupt:
    case Errc::OutOfSpace:
    case Errc::NeverFits:
    case Errc::Unauthenticated:
    case Errc::Unsupported:
      return NextStep::GiveUp;
  }
  std::unreachable();
}

Duration retry_pause(const RetryOptions& options, int attempt, size_t servers, NextStep step,
                     uint8_t jitter) {
  const auto round = step == NextStep::OtherServer ? attempt / static_cast<int>(servers) : attempt;
  if (round == 0) {
    return Duration::zero();
  }
  const Duration doubled = options.pause_first * (int64_t{1} << std::min(round - 1, 20));
  const Duration whole = std::min(doubled, options.pause_max);
  return whole / 2 + whole / 2 * jitter / 255;
}

}  // namespace muster::hadoop::rpc
