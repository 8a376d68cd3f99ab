#include "account/held_back.h"

#include <fmt/format.h>

namespace muster::account {
namespace {

/// Of what it could have used; and in cores: less is as good as nothing.
constexpr double kGotMax = 0.7;
constexpr double kMissedMin = 0.2;
/// Who wants less cannot tell whether there was more.
constexpr double kWantedMin = 0.3;

}  // namespace

bool is_held_back(const TaskEvidence& task) {
  return task.cores_mean && task.cores_wanted && *task.cores_mean <= kGotMax * *task.cores_wanted &&
         *task.cores_wanted - *task.cores_mean >= kMissedMin;
}

std::string why_held_back(const Evidence& evidence, const TaskEvidence& task) {
  bool any_held = false;
  bool any_free = false;
  for (const RoleEvidence& role : evidence.roles) {
    for (const TaskEvidence& other : role.members) {
      if (other.name != task.name && other.host == task.host && other.cores_mean &&
          other.cores_wanted.value_or(0) >= kWantedMin) {
        (is_held_back(other) ? any_held : any_free) = true;
      }
    }
  }
  constexpr std::string_view kLimit = "a processor limit of its container holds it back";
  std::string others = fmt::format("others keep {} busy", task.host.value);
  if (any_held && !any_free) {
    return others;
  }
  return any_free && !any_held ? std::string(kLimit) : fmt::format("{}, or {}", others, kLimit);
}

std::string after_held_back(const TaskEvidence& task) {
  return fmt::format(
      "look what else runs on {}, and whether `nr_throttled` grows in the `cpu.stat` of its "
      "control group",
      task.host.value);
}

}  // namespace muster::account
