#include "tony/flags.h"

#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace muster::tony {
namespace {

struct One {
  std::string_view name;
  std::string Flags::* value;
};
struct Many {
  std::string_view name;
  std::vector<std::string> Flags::* values;
};

constexpr std::array kOnes = {
    One{.name = "executes", .value = &Flags::executes},
    One{.name = "task_params", .value = &Flags::task_params},
    One{.name = "src_dir", .value = &Flags::src_dir},
    One{.name = "python_venv", .value = &Flags::python_venv},
    One{.name = "python_binary_path", .value = &Flags::python_binary_path},
    One{.name = "hdfs_classpath", .value = &Flags::hdfs_classpath},
    One{.name = "conf_file", .value = &Flags::conf_file},
    One{.name = "sidecar_tensorboard_log_dir", .value = &Flags::tensorboard_log_dir},
};
constexpr std::array kManies = {
    Many{.name = "shell_env", .values = &Flags::shell_env},
    Many{.name = "container_env", .values = &Flags::container_env},
    Many{.name = "conf", .values = &Flags::conf},
};
constexpr std::string_view kDebug = "debug";

Error unknown(std::string_view word) {
  std::vector<std::string_view> names = {kDebug};
  for (const One& one : kOnes) {
    names.push_back(one.name);
  }
  for (const Many& many : kManies) {
    names.push_back(many.name);
  }
  const auto near = nearest(word, names);
  return user_error(fmt::format("-{}: TonY has no such flag{}", printable(word),
                                near ? fmt::format("; did you mean -{}?", *near) : ""));
}

/// Whether there is such a flag; keeps its value.
bool set(Flags& flags, std::string_view name, const std::string& value) {
  for (const One& one : kOnes) {
    if (one.name == name) {
      flags.*one.value = value;
      return true;
    }
  }
  for (const Many& many : kManies) {
    if (many.name == name) {
      (flags.*many.values).push_back(value);
      return true;
    }
  }
  return false;
}

}  // namespace

Result<Flags> parse_flags(const std::vector<std::string>& arguments) {
  Flags flags;
  Flags trial;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (!argument.starts_with("-") || argument.size() < 2) {
      return user_error(fmt::format("{}: flags of TonY begin with a dash", printable(argument)));
    }
    argument.remove_prefix(argument.starts_with("--") ? 2 : 1);
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    if (name == kDebug) {
      continue;
    }
    if (!set(trial, name, "")) {
      return unknown(name);
    }
    if (equals != std::string_view::npos) {
      (void)set(flags, name, std::string(argument.substr(equals + 1)));
      continue;
    }
    if (i + 1 == arguments.size()) {
      return user_error(fmt::format("-{} needs a value", name));
    }
    (void)set(flags, name, arguments[++i]);
  }
  return flags;
}

}  // namespace muster::tony
