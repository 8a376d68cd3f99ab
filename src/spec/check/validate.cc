#include "spec/check/validate.h"

#include "base/text.h"
#include "spec/check/role_order.h"
#include "spec/duration_text.h"
#include "spec/names.h"
#include "spec/view_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace muster::spec {
namespace {

/// Linux accepts at most this much for one variable, its name and two more bytes included.
constexpr size_t kVariableBytesMax = 128 * 1024;

/// Checks one spec. Each of the functions below checks one subject.
class Check {
 public:
  Check(const Spec& spec, const Node& document, Problems& problems)
      : spec_(spec), document_(document), problems_(problems) {}

  void all() {
    job();
    for (const Role& role : spec_.roles) {
      counts(role);
      policies(role);
      references(role);
      names(role);
      variables(role.variables, {"roles", role.name, "variables"});
      environment(role.env, {"roles", role.name, "env"});
      files(role.files.value_or(std::vector<File>{}), {"roles", role.name, "files"});
      python(role.python, {"roles", role.name, "python"});
    }
    variables(spec_.variables, {"variables"});
    environment(spec_.env, {"env"});
    files(spec_.files, {"files"});
    python(spec_.python, {"python"});
    endpoints();
    whole_gang();
    liveness();
    rules();
    notify();
  }

 private:
  using Path = std::vector<std::string>;

  void fail(const Path& path, std::string message) {
    problems_.add(origin_of(document_, path), std::move(message));
  }

  void job() {
    if (spec_.roles.empty()) {
      fail({}, "neither roles nor tasks is given; the shortest job is `tasks: 1`");
    }
    if (const std::string wrong = wrong_job_name(spec_.name); !wrong.empty()) {
      fail({"name"}, "name: " + wrong);
    }
    uint64_t total = 0;
    for (const Role& role : spec_.roles) {
      total += role.tasks;
    }
    if (total > static_cast<uint64_t>(kTasksMax)) {
      fail({"roles"}, fmt::format("the roles have {} tasks in total; at most {} are possible",
                                  total, kTasksMax));
    }
    std::string chief;
    for (const Role& role : spec_.roles) {
      if (role.chief && !chief.empty()) {
        fail({"roles", role.name, "chief"},
             fmt::format("role {}: role {} is already the chief; there can be only one", role.name,
                         chief));
      }
      chief = role.chief ? role.name : chief;
    }
  }

  void notify() {
    const Notify& notify = spec_.notify;
    if (notify.token.empty()) {
      return;
    }
    if (notify.hook.empty()) {
      fail({"notify", "token"}, "notify: token needs hook; there is nobody to send it to");
      return;
    }
    const auto entry = spec_.env.find(notify.token);
    if (entry == spec_.env.end() || entry->second.source == EnvValue::Source::Literal) {
      fail({"notify", "token"},
           fmt::format("notify: token names `{0}`, which is not a secret of `env`; add env: {{{0}: "
                       "{{from_env: {0}}}}}",
                       notify.token));
    }
  }

  void counts(const Role& role) {
    const Path at = {"roles", role.name};
    if (!role.command.has_value() && !spec_.command.has_value()) {
      fail(at, fmt::format("role {}: has no command; give it one, or one at the top for all roles",
                           role.name));
    }
    if (role.min.has_value() != role.max.has_value()) {
      fail(at, fmt::format("role {}: min and max belong together; {} is missing", role.name,
                           role.min.has_value() ? "max" : "min"));
    } else if (role.min.has_value() && *role.min > *role.max) {
      fail({"roles", role.name, "min"},
           fmt::format("role {}: min is {}, but max is only {}", role.name, *role.min, *role.max));
    }
  }

  void policies(const Role& role) {
    const bool elastic = role.membership == Membership::Elastic;
    if (elastic && !role.max.has_value()) {
      fail({"roles", role.name, "membership"},
           fmt::format("role {}: elastic needs min and max instead of tasks", role.name));
    }
    const bool may_range = elastic || role.membership == Membership::Static;
    if (role.membership.has_value() && !may_range && role.max.has_value()) {
      fail({"roles", role.name, "membership"},
           fmt::format("role {}: min and max need membership elastic or static; it says {}",
                       role.name, to_string(*role.membership)));
    }
    if (role.failure == Failure::Tolerated && role.success == Success::Ignored) {
      fail({"roles", role.name, "failure"},
           fmt::format("role {}: a failure cannot be tolerated in a role whose success is ignored; "
                       "use failure: ignored",
                       role.name));
    }
  }

  void reference(const Role& role, const std::string& other, const Path& at, std::string_view key) {
    if (other == role.name) {
      fail(at, fmt::format("role {}: {} names the role itself", role.name, key));
    } else if (find_role(spec_, other) == nullptr) {
      std::vector<std::string_view> names;
      for (const Role& known : spec_.roles) {
        names.push_back(known.name);
      }
      const auto meant = nearest(other, names);
      fail(at, fmt::format("role {}: {} names `{}`, which is not a role{}", role.name, key, other,
                           meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
    }
  }

  void references(const Role& role) {
    std::set<std::string> seen;
    for (size_t i = 0; i < role.after.size(); ++i) {
      const std::string& other = role.after[i].role;
      const Node* after = find_after(role.name);
      const bool list = after != nullptr && after->kind == Node::Kind::List;
      const Path at = {"roles", role.name, "after", list ? std::to_string(i) : other};
      reference(role, other, at, "after");
      if (!seen.insert(other).second) {
        fail(at, fmt::format("role {}: after names {} twice", role.name, other));
      }
    }
    if (!role.deadline_after.has_value()) {
      return;
    }
    const Path at = {"roles", role.name, "deadline_after", "roles"};
    if (role.deadline_after->roles.empty()) {
      fail(at, fmt::format("role {}: deadline_after names no role", role.name));
    }
    for (const std::string& other : role.deadline_after->roles) {
      reference(role, other, at, "deadline_after");
    }
  }

  const Node* find_after(const std::string& role) const {
    const Node* roles = find(document_, "roles");
    const Node* members = roles == nullptr ? nullptr : find(*roles, role);
    return members == nullptr ? nullptr : find(*members, "after");
  }

  void names(const Role& role) {
    std::set<std::string> seen;
    for (const std::string& port : role.ports) {
      if (!seen.insert(port).second) {
        fail({"roles", role.name, "ports"},
             fmt::format("role {}: the port {} is named twice", role.name, port));
      }
    }
  }

  void variables(const ViewVariables& texts, Path at) {
    for (const auto& [name, text] : texts) {
      at.push_back(name);
      const Result<std::vector<ViewPiece>> pieces = parse_view_text(text);
      if (!pieces.has_value()) {
        fail(at, fmt::format("variables.{}: {}", name, pieces.error().message));
      } else {
        for (const ViewPiece& piece : *pieces) {
          if (piece.place.has_value()) {
            place(*piece.place, name, at);
          }
        }
      }
      at.pop_back();
    }
  }

  /// Checks a placeholder: the view must be able to contain what it names.
  void place(const ViewPlace& place, const std::string& variable, const Path& at) {
    if (place.role.empty() || place.role == kRanks) {
      return;
    }
    const Role* const role = find_role(spec_, place.role);
    if (role == nullptr) {
      std::vector<std::string_view> names;
      for (const Role& known : spec_.roles) {
        names.push_back(known.name);
      }
      const auto meant = nearest(place.role, names);
      fail(at, fmt::format("variables.{}: the job has no role {}{}", variable, place.role,
                           meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
    } else if (place.index.has_value() && *place.index >= role->tasks) {
      fail(at, fmt::format("variables.{}: there is no {}:{}; the role has {} task{}", variable,
                           role->name, *place.index, role->tasks, role->tasks == 1 ? "" : "s"));
    } else if (place.fact == ViewFact::NamedPort &&
               std::ranges::find(role->ports, place.port) == role->ports.end()) {
      fail(at, fmt::format("variables.{}: the role {} has no port {}; name it under `ports`",
                           variable, role->name, place.port));
    }
  }

  void endpoints() {
    for (const auto& [name, page] : spec_.endpoints) {
      const Role* const role = find_role(spec_, page.role);
      if (role == nullptr) {
        std::vector<std::string_view> names;
        for (const Role& known : spec_.roles) {
          names.push_back(known.name);
        }
        const auto meant = nearest(page.role, names);
        fail({"endpoints", name, "role"},
             fmt::format("endpoints.{}: the job has no role {}{}", name, page.role,
                         meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
      } else if (wrong_port_name(page.port).empty() &&
                 std::ranges::find(role->ports, page.port) == role->ports.end()) {
        fail({"endpoints", name, "port"},
             fmt::format("endpoints.{}: the role {} has no port {}; name it under `ports`", name,
                         role->name, page.port));
      }
    }
  }

  void environment(const Environment& env, Path at) {
    for (const auto& [name, value] : env) {
      at.push_back(name);
      if (name.size() + value.text.size() + 2 > kVariableBytesMax) {
        fail(at, fmt::format("env: {} is too long ({}); Linux allows 128 KiB for one variable",
                             name, format_bytes(value.text.size())));
      }
      if (value.text.find('\0') != std::string::npos) {
        fail(at, fmt::format("env: {} contains a NUL byte", name));
      }
      at.pop_back();
    }
  }

  void files(const std::vector<File>& list, Path at) {
    std::map<std::string, std::string> taken;
    for (size_t i = 0; i < list.size(); ++i) {
      at.push_back(std::to_string(i));
      const File& file = list[i];
      const std::string place = place_of(file);
      const auto [there, fresh] = taken.emplace(place, file.src);
      if (const std::string wrong = wrong_word(file.src); !wrong.empty()) {
        fail(at, "files: " + wrong);
      } else if (place.empty() || place == "." || place == "..") {
        fail(at,
             fmt::format("files: `{}` has no name of its own; give it one with `as`", file.src));
      } else if (!fresh) {
        fail(at,
             fmt::format(
                 "files: `{}` and `{}` would both be {} in the task's folder; rename one with `as`",
                 there->second, file.src, place));
      }
      at.pop_back();
    }
  }

  void python(const std::optional<Python>& python, const Path& at) {
    if (python.has_value() && python->env.empty() && python->interpreter.empty()) {
      fail(at, "python: needs env or interpreter");
    } else if (python.has_value() && python->env.empty() && !python->interpreter.starts_with('/')) {
      Path path = at;
      path.emplace_back("interpreter");
      fail(path, fmt::format("python.interpreter: `{}` is relative to python.env, and no env is "
                             "given; give an absolute path",
                             python->interpreter));
    }
  }

  void whole_gang() {
    const auto ignored = [](const Role& role) { return role.success == Success::Ignored; };
    if (!spec_.roles.empty() && std::ranges::all_of(spec_.roles, ignored)) {
      fail({"roles"},
           "the success of every role is ignored, so the job could never succeed; one must be "
           "required or ends_job");
    }
    const std::vector<std::string> cycle = waiting_cycle(spec_);
    if (!cycle.empty()) {
      fail({"roles", cycle.front(), "after"},
           fmt::format("the roles wait for each other in a cycle: {}", join(cycle, " after ")));
    }
  }

  void liveness() {
    const Liveness& live = spec_.liveness;
    if (live.beat >= live.suspect || live.suspect >= live.lost) {
      fail({"liveness"}, fmt::format("liveness: beat must be below suspect, and suspect below "
                                     "lost; they are {}, {} and {}",
                                     duration_text(live.beat), duration_text(live.suspect),
                                     duration_text(live.lost)));
    }
  }

  void rules() {
    for (size_t i = 0; i < spec_.rules.size(); ++i) {
      if (spec_.rules[i].match == Match{}) {
        fail({"rules", std::to_string(i)},
             "rules: match needs at least one of exit_code, signal, cluster_code, pattern");
      }
    }
  }

  const Spec& spec_;
  const Node& document_;
  Problems& problems_;
};

}  // namespace

void validate(const Spec& spec, const Node& document, Problems& problems) {
  Check(spec, document, problems).all();
}

}  // namespace muster::spec
