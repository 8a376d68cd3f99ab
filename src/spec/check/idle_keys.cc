#include "spec/check/idle_keys.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace muster::spec {
namespace {

bool has_chief(const Spec& spec) {
  return std::ranges::any_of(spec.roles, [](const Role& role) {
    return role.chief || role.name == "chief" || role.name == "worker";
  });
}

/// Checks one job.
class IdleKeys {
 public:
  IdleKeys(const Spec& spec, const Node& document) : spec_(spec), document_(document) {}

  std::vector<std::string> find() {
    checkpoint();
    if (spec_.recording.max != Recording{}.max && !spec_.recording.terminals) {
      warn({"recording", "max"}, "without recording.terminals");
    }
    const Notify& notify = spec_.notify;
    if (notify.on != Notify{}.on && notify.command.empty() && notify.hook.empty() &&
        notify.mail.empty()) {
      warn({"notify", "on"}, "without notify.command, notify.hook or notify.mail");
    }
    if (spec_.yarn.attempt_window != Yarn{}.attempt_window && spec_.master.attempts == 1) {
      warn({"yarn", "attempt_window"}, "where master.attempts is 1");
    }
    if (spec_.chief_failure_fails_job && !has_chief(spec_)) {
      warn({"chief_failure_fails_job"}, "without a chief; set `chief: true` in a role");
    }
    stall(spec_.stall, {"stall", "then"});
    for (const Role& role : spec_.roles) {
      const Path path = {"roles", role.name, "stall", "then"};
      if (role.stall && !is_inherited(path)) {
        stall(*role.stall, path);
      }
    }
    return std::move(warnings_);
  }

 private:
  using Path = std::vector<std::string>;

  void checkpoint() {
    const Checkpoint plain;
    const Checkpoint& own = spec_.checkpoint;
    if (!own.to.empty()) {
      return;
    }
    constexpr std::string_view kWithout = "without checkpoint.to, which mirrors checkpoints";
    if (own.by != plain.by) {
      warn({"checkpoint", "by"}, kWithout);
    }
    if (own.keep != plain.keep) {
      warn({"checkpoint", "keep"}, kWithout);
    }
    if (own.resume != plain.resume) {
      warn({"checkpoint", "resume"}, kWithout);
    }
  }

  void stall(const Stall& own, const Path& path) {
    if (own.then != Stall{}.then && !own.after) {
      warn(path, "where stall.after is none");
    }
  }

  /// Returns whether a role's `stall.then` was filled in from the top level.
  [[nodiscard]] bool is_inherited(const Path& path) const {
    const Node* const top = spec::find(document_, "stall");
    const Node* const then = top == nullptr ? nullptr : spec::find(*top, "then");
    return then != nullptr && to_string(then->origin) == to_string(origin_of(document_, path));
  }

  void warn(const Path& path, std::string_view why) {
    const Origin origin = origin_of(document_, path);
    const Layer layer = origin.source == nullptr ? Layer::BuiltIn : origin.source->layer;
    const bool of_the_job =
        layer == Layer::Environment || layer == Layer::Spec || layer == Layer::CommandLine;
    if (of_the_job) {
      warnings_.push_back(printable(fmt::format("{}: warning: {} has no effect {}",
                                                to_string(origin), join(path, "."), why)));
    }
  }

  const Spec& spec_;
  const Node& document_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> idle_warnings(const Spec& spec, const Node& document) {
  return IdleKeys(spec, document).find();
}

}  // namespace muster::spec
