#include "spec/keys/keys.h"
#include "spec/policy.h"
#include "spec/read/codec.h"

#include <array>
#include <span>

// Every value that a key accepts, once; `Codec` reads and writes enums by these. A new value needs
// its place here and its name in policy.cc, which the compiler asks for.

namespace muster::spec {

template <>
std::span<const Framework> enumerators<Framework>() {
  // The ones that this version can plan; a job may not name the others.
  static constexpr std::array kAll = {
      Framework::Generic, Framework::Tensorflow, Framework::Pytorch,   Framework::Jax,
      Framework::Mxnet,   Framework::Horovod,    Framework::Standalone};
  return kAll;
}

template <>
std::span<const Barrier> enumerators<Barrier>() {
  static constexpr std::array kAll = {Barrier::Gang, Barrier::AsGranted};
  return kAll;
}

template <>
std::span<const Membership> enumerators<Membership>() {
  static constexpr std::array kAll = {Membership::Static, Membership::Rejoin, Membership::Elastic,
                                      Membership::Independent};
  return kAll;
}

template <>
std::span<const Success> enumerators<Success>() {
  static constexpr std::array kAll = {Success::Required, Success::EndsJob, Success::Ignored};
  return kAll;
}

template <>
std::span<const Failure> enumerators<Failure>() {
  static constexpr std::array kAll = {Failure::FailsJob, Failure::Tolerated, Failure::Ignored};
  return kAll;
}

template <>
std::span<const Occasion> enumerators<Occasion>() {
  static constexpr std::array kAll = {Occasion::Start, Occasion::FirstCause, Occasion::Stall,
                                      Occasion::End};
  return kAll;
}

template <>
std::span<const Condition> enumerators<Condition>() {
  static constexpr std::array kAll = {Condition::Ended, Condition::Running, Condition::Succeeded};
  return kAll;
}

template <>
std::span<const DeadlineAction> enumerators<DeadlineAction>() {
  static constexpr std::array kAll = {DeadlineAction::Fail, DeadlineAction::Ignore};
  return kAll;
}

template <>
std::span<const StallAction> enumerators<StallAction>() {
  static constexpr std::array kAll = {StallAction::Report, StallAction::Restart, StallAction::Fail};
  return kAll;
}

template <>
std::span<const CheckpointBy> enumerators<CheckpointBy>() {
  static constexpr std::array kAll = {CheckpointBy::Chief, CheckpointBy::Each};
  return kAll;
}

template <>
std::span<const Resume> enumerators<Resume>() {
  static constexpr std::array kAll = {Resume::Restarts, Resume::Always, Resume::Never};
  return kAll;
}

template <>
std::span<const Reach> enumerators<Reach>() {
  static constexpr std::array kAll = {Reach::Exec,    Reach::Shell, Reach::Cp,
                                      Reach::Forward, Reach::Debug, Reach::Notebook};
  return kAll;
}

template <>
std::span<const Unpack> enumerators<Unpack>() {
  static constexpr std::array kAll = {Unpack::Auto, Unpack::Yes, Unpack::No};
  return kAll;
}

template <>
std::span<const Retry> enumerators<Retry>() {
  static constexpr std::array kAll = {Retry::Yes, Retry::No, Retry::Elsewhere};
  return kAll;
}

template <>
std::span<const ClusterType> enumerators<ClusterType>() {
  static constexpr std::array kAll = {ClusterType::Local, ClusterType::Yarn, ClusterType::Spark};
  return kAll;
}

}  // namespace muster::spec
