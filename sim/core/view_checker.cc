#include "sim/core/view_checker.h"

#include <algorithm>
#include <map>
#include <string>

namespace muster::sim {
namespace {

/// One generation has one view; nobody starts before the barrier, and only members of the view do.
class OneView final : public Checker {
 public:
  explicit OneView(const job::Plan& plan) : plan_(plan) {}
  std::string_view name() const override { return "one view"; }
  void applied(Time, const job::Fact&, std::span<const job::Action> actions,
               const job::Machine& machine) override {
    const job::View& view = machine.state().view;
    if (view.generation < newest_) {
      fail("the generation went back");
    }
    newest_ = std::max(newest_, view.generation);
    const auto [known, is_new] = views_.emplace(view.generation, view);
    if (is_new) {
      check_members(view, machine);
    }
    if (!is_new && known->second != view) {
      fail("generation " + std::to_string(view.generation.value) + " has a second view");
    }
    for (const job::Action& action : actions) {
      if (const auto* start = std::get_if<job::StartAttempt>(&action)) {
        check_start(*start, machine);
      }
    }
  }
  void recovered(const job::Machine& machine) override {
    newest_ = machine.state().view.generation;
    views_.erase(views_.upper_bound(newest_), views_.end());
  }

 private:
  /// A new view lists each task once, with the attempt that lives.
  void check_members(const job::View& view, const job::Machine& machine) {
    for (size_t i = 0; i < view.members.size(); ++i) {
      const job::AttemptId id{view.members[i].task, view.members[i].attempt};
      if (i > 0 && !(view.members[i - 1].task < id.task)) {
        fail("a new view lists " + to_string(plan_, id.task) + " twice, or out of order");
      }
      const job::Attempt* attempt = machine.state().find_attempt(id);
      if (attempt == nullptr || attempt->state == job::AttemptState::Ended) {
        fail("a new view lists " + to_string(plan_, id) + ", which does not live");
      }
    }
  }
  void check_start(const job::StartAttempt& start, const job::Machine& machine) {
    const job::View& view = machine.state().view;
    if (start.generation > view.generation) {
      fail("a start names a generation that was not formed");
      return;
    }
    if (start.generation != view.generation) {
      return;
    }
    const auto is_member = [&](const job::Member& member) {
      return member.task == start.attempt.task && member.attempt == start.attempt.number;
    };
    if (std::ranges::none_of(view.members, is_member)) {
      fail(to_string(plan_, start.attempt) + " is started and not in the view of its generation");
    }
    if (plan_.barrier == spec::Barrier::Gang) {
      check_barrier(start, machine);
    }
  }
  /// With the gang barrier, a starting task finds every member of its own role that the role needs.
  void check_barrier(const job::StartAttempt& start, const job::Machine& machine) {
    const job::RolePlan& role = plan_.role(start.attempt.task.role);
    const auto members = static_cast<uint32_t>(std::ranges::count_if(
        machine.state().view.members,
        [&](const job::Member& member) { return member.task.role == start.attempt.task.role; }));
    uint32_t over = 0;
    for (const job::Task& task : machine.state().tasks[start.attempt.task.role.value]) {
      over += task.state == job::TaskState::Succeeded || task.state == job::TaskState::Failed ||
                      task.state == job::TaskState::Stopped
                  ? 1U
                  : 0U;
    }
    const bool coupled = role.membership == spec::Membership::Static;
    if (coupled && members + over < role.tasks_min) {
      fail(to_string(plan_, start.attempt) + " is started before its gang is complete");
    }
  }

  const job::Plan& plan_;
  job::Generation newest_;
  std::map<job::Generation, job::View> views_;
};

}  // namespace

std::unique_ptr<Checker> make_view_checker(const job::Plan& plan) {
  return std::make_unique<OneView>(plan);
}

}  // namespace muster::sim
