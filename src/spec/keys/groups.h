#pragma once

#include "spec/keys/keys.h"
#include "spec/keys/row.h"
#include "spec/settings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::spec {

/// The map form of an EnvValue, as keys.
struct SecretSource {
  std::optional<std::string> from_env;
  std::optional<std::string> from_file;
};

/// The rows of a group of keys. Specialised for each group.
template <class T>
[[nodiscard]] std::span<const Row> rows_of();

/// The name of a group in the JSON Schema. Specialised with `rows_of`.
template <class T>
inline constexpr std::string_view kGroup = {};

/// All values of an enum, in the order in which people read them.
template <class E>
[[nodiscard]] std::span<const E> enumerators();

// Defined in keys_*.cc.
#define MUSTER_SPEC_GROUP(Type, group)  \
  template <>                           \
  std::span<const Row> rows_of<Type>(); \
  template <>                           \
  inline constexpr std::string_view kGroup<Type> = group

MUSTER_SPEC_GROUP(Python, "Python");
MUSTER_SPEC_GROUP(Runtime, "Runtime");
MUSTER_SPEC_GROUP(Restart, "Restart");
MUSTER_SPEC_GROUP(Stall, "Stall");
MUSTER_SPEC_GROUP(Hosts, "Hosts");
MUSTER_SPEC_GROUP(Match, "Match");
MUSTER_SPEC_GROUP(Rule, "Rule");
MUSTER_SPEC_GROUP(Deadlines, "Deadlines");
MUSTER_SPEC_GROUP(Liveness, "Liveness");
MUSTER_SPEC_GROUP(Checkpoint, "Checkpoint");
MUSTER_SPEC_GROUP(Tensorboard, "Tensorboard");
MUSTER_SPEC_GROUP(EndpointPage, "Endpoint");
MUSTER_SPEC_GROUP(MasterSettings, "Master");
MUSTER_SPEC_GROUP(Logs, "Logs");
MUSTER_SPEC_GROUP(Recording, "Recording");
MUSTER_SPEC_GROUP(Network, "Network");
MUSTER_SPEC_GROUP(Notify, "Notify");
MUSTER_SPEC_GROUP(Yarn, "Yarn");
MUSTER_SPEC_GROUP(Local, "Local");
MUSTER_SPEC_GROUP(Docker, "Docker");
MUSTER_SPEC_GROUP(DeadlineAfter, "DeadlineAfter");
#undef MUSTER_SPEC_GROUP
template <>
std::span<const Row> rows_of<File>();
template <>
std::span<const Row> rows_of<SecretSource>();

// Defined in choices.cc.
#define MUSTER_SPEC_CHOICE(Enum) \
  template <>                    \
  std::span<const Enum> enumerators<Enum>()

MUSTER_SPEC_CHOICE(Framework);
MUSTER_SPEC_CHOICE(Barrier);
MUSTER_SPEC_CHOICE(Membership);
MUSTER_SPEC_CHOICE(Success);
MUSTER_SPEC_CHOICE(Failure);
MUSTER_SPEC_CHOICE(Condition);
MUSTER_SPEC_CHOICE(DeadlineAction);
MUSTER_SPEC_CHOICE(StallAction);
MUSTER_SPEC_CHOICE(CheckpointBy);
MUSTER_SPEC_CHOICE(Resume);
MUSTER_SPEC_CHOICE(Unpack);
MUSTER_SPEC_CHOICE(Occasion);
MUSTER_SPEC_CHOICE(Retry);
MUSTER_SPEC_CHOICE(ClusterType);
MUSTER_SPEC_CHOICE(Reach);
#undef MUSTER_SPEC_CHOICE

}  // namespace muster::spec
