#include "base/text.h"
#include "spec/check/validate.h"
#include "spec/duration_text.h"
#include "spec/size.h"

#include <fmt/format.h>

namespace muster::spec {
namespace {

/// One number of a spec against one limit of the site.
class LimitCheck {
 public:
  LimitCheck(const Node& document, Problems& problems) : document_(document), problems_(problems) {}

  template <class Value, class Text>
  void at_most(Value value, const std::optional<Value>& limit, std::string_view what,
               const std::vector<std::string>& path, Text text) {
    if (limit.has_value() && value > *limit) {
      problems_.add(origin_of(document_, path), fmt::format("{} is {}; this site allows at most {}",
                                                            what, text(value), text(*limit)));
    }
  }

 private:
  const Node& document_;
  Problems& problems_;
};

}  // namespace

void check_limits(const Spec& spec, const Limits& limits, const Node& document,
                  Problems& problems) {
  LimitCheck check(document, problems);
  const auto number = [](auto value) { return std::to_string(value); };
  uint64_t tasks = 0;
  uint64_t memory = 0;
  uint64_t vcores = 0;
  uint64_t gpus = 0;
  for (const Role& role : spec.roles) {
    const std::string of = fmt::format("role {}: ", role.name);
    const Bytes role_memory = role.memory.value_or(0);
    const uint32_t role_vcores = role.vcores.value_or(0);
    const uint32_t role_gpus = role.gpus.value_or(0);
    check.at_most(role_memory, limits.memory, of + "the memory of a task",
                  {"roles", role.name, "memory"}, format_size);
    check.at_most(role_vcores, limits.vcores, of + "the number of vcores of a task",
                  {"roles", role.name, "vcores"}, number);
    check.at_most(role_gpus, limits.gpus, of + "the number of GPUs of a task",
                  {"roles", role.name, "gpus"}, number);
    tasks += role.tasks;
    // A sum that overflows is above every limit.
    uint64_t all = 0;
    const bool overflow = __builtin_mul_overflow(role_memory, role.tasks, &all) ||
                          __builtin_add_overflow(memory, all, &memory);
    memory = overflow ? UINT64_MAX : memory;
    vcores += uint64_t{role_vcores} * role.tasks;
    gpus += uint64_t{role_gpus} * role.tasks;
  }
  const auto wide = [](const std::optional<uint32_t>& limit) {
    return limit.has_value() ? std::optional<uint64_t>(*limit) : std::nullopt;
  };
  check.at_most(tasks, wide(limits.tasks), "the number of tasks", {"roles"}, number);
  check.at_most(memory, limits.total_memory, "the memory of all tasks together", {"roles"},
                format_size);
  check.at_most(vcores, wide(limits.total_vcores), "the number of vcores of all tasks together",
                {"roles"}, number);
  check.at_most(gpus, wide(limits.total_gpus), "the number of GPUs of all tasks together",
                {"roles"}, number);
  if (limits.run.has_value() && !spec.deadlines.run.has_value()) {
    problems.add(origin_of(document, {"deadlines", "run"}),
                 fmt::format("deadlines.run is none; this site requires one of at most {}",
                             duration_text(*limits.run)));
  } else if (limits.run.has_value()) {
    check.at_most(*spec.deadlines.run, limits.run, "deadlines.run", {"deadlines", "run"},
                  duration_text);
  }
}

}  // namespace muster::spec
