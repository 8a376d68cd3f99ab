#include "spec/read/quick.h"

#include "base/text.h"
#include "spec/keys/key_path.h"
#include "spec/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace muster::spec {
namespace {

Origin option(std::string name) {
  return {.source = std::make_shared<const Source>(
              Source{.name = std::move(name), .layer = Layer::CommandLine})};
}

void set(Node& layer, const std::vector<std::string>& path, std::string_view text,
         const Origin& origin) {
  Node value = plain_node(text);
  value.origin = origin;
  merge(layer, nested(path, std::move(value)));
}

/// "2..8" gives min and max, anything else is the number of tasks.
void set_tasks(Node& layer, const std::string& role, std::string_view count, const Origin& origin) {
  const size_t dots = count.find("..");
  if (dots == std::string_view::npos) {
    set(layer, {"roles", role, "tasks"}, count, origin);
    return;
  }
  set(layer, {"roles", role, "min"}, count.substr(0, dots), origin);
  set(layer, {"roles", role, "max"}, count.substr(dots + 2), origin);
}

void add_role(Node& layer, const std::string& text, Problems& problems) {
  const Origin origin = option("--role " + text);
  const std::vector<std::string_view> parts = split(text, ',');
  const size_t equals = parts[0].find('=');
  const std::string role(parts[0].substr(0, equals));
  if (const std::string wrong = wrong_role_name(role); !wrong.empty()) {
    problems.add(origin, wrong);
    return;
  }
  const Node* roles = find(layer, "roles");
  if (roles != nullptr && find(*roles, role) != nullptr) {
    problems.add(origin, fmt::format("role {} is given twice", role));
    return;
  }
  set_tasks(layer, role, equals == std::string_view::npos ? "1" : parts[0].substr(equals + 1),
            origin);
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t at = parts[i].find('=');
    if (at == std::string_view::npos) {
      problems.add(origin,
                   fmt::format("`{}` is not KEY=VALUE; write it as in ps=1,memory=2g", parts[i]));
      continue;
    }
    const Result<KeyPath> key =
        resolve_key(fmt::format("roles.{}.{}", role, parts[i].substr(0, at)));
    if (key.has_value()) {
      merge(layer, nested(key->parts, value_for(*key, parts[i].substr(at + 1), origin, problems)));
    } else {
      problems.add(origin, key.error().message);
    }
  }
}

/// Gives each role the resources of --memory, --vcores and --gpus, if its --role names none.
void add_resources(Node& layer, const QuickOptions& options) {
  Node* roles = find(layer, "roles");
  const auto give = [&](std::string_view key, const std::optional<std::string>& value) {
    for (Member& role : roles->members) {
      if (value.has_value() && find(role.value, key) == nullptr) {
        set(role.value, {std::string(key)}, *value, option(fmt::format("--{} {}", key, *value)));
      }
    }
  };
  if (roles != nullptr) {
    give("memory", options.memory);
    give("vcores", options.vcores);
    give("gpus", options.gpus);
  }
}

/// Returns the program a command runs, for the job's name: "train" for "python3 -u src/train.py".
std::string program_of(const std::vector<std::string>& command) {
  std::string_view program =
      command.empty() ? std::string_view("job") : std::string_view(command[0]);
  for (const std::string_view word : command) {
    if (word.ends_with(".py") || word.ends_with(".sh")) {
      program = word.substr(0, word.size() - 3);
      break;
    }
  }
  return std::string(program.substr(program.rfind('/') + 1));
}

}  // namespace

Node quick_layer(const QuickOptions& options, Problems& problems) {
  Node layer = map_node();
  layer.origin = option("the command line");
  set(layer, {"name"}, options.name.value_or(job_name_from(program_of(options.command))),
      option(options.name.has_value() ? "--name " + *options.name : "the command line"));
  if (options.framework.has_value()) {
    set(layer, {"framework"}, *options.framework, option("--framework " + *options.framework));
  }
  if (options.command.empty()) {
    problems.add(layer.origin, "no command is given; put it at the end, after `--`");
  } else {
    set(layer, {"command"}, shell_command(options.command), layer.origin);
  }
  if (options.tasks.has_value()) {
    set_tasks(layer, "worker", *options.tasks, option("-n " + *options.tasks));
  } else if (options.roles.empty()) {
    set_tasks(layer, "worker", "1", layer.origin);
  }
  for (const std::string& role : options.roles) {
    add_role(layer, role, problems);
  }
  add_resources(layer, options);
  if (options.max_restarts.has_value()) {
    set(layer, {"restart", "process"}, *options.max_restarts,
        option("--max-restarts " + *options.max_restarts));
  }
  return layer;
}

Node quick_defaults(const QuickOptions& options) {
  const Origin origin = option("without a specification");
  Node layer = map_node();
  layer.origin = origin;
  if (options.shares_gpus) {
    set(layer, {"local", "share_gpus"}, "true", origin);
  }
  if (options.merges_streams) {
    set(layer, {"logs", "merged"}, "true", origin);
  }
  for (const std::string_view rung : {"process", "container", "host"}) {
    set(layer, {"restart", std::string(rung)}, "0", origin);
  }
  return layer;
}

}  // namespace muster::spec
