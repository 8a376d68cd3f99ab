#pragma once

#include "base/result.h"
#include "client/follow/console.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::client {

/// What a process takes from its environment, read once at its start and passed on from there: the
/// variables, the home folder and the terminal.
class Environment {
 public:
  /// `variables`: the process's own `environ`.
  explicit Environment(char** variables);

  [[nodiscard]] std::optional<std::string> find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& all() const {
    return variables_;
  }

  /// Sets a variable for what this process does and starts from here on.
  void set(const std::string& name, std::string value) { variables_[name] = std::move(value); }

  /// Returns $MUSTER_HOME, else ~/.muster; an error if neither is known. Always absolute.
  [[nodiscard]] Result<std::filesystem::path> muster_home() const;
  /// Returns the terminal, colours and width of standard output and error; honours NO_COLOR and
  /// COLUMNS.
  [[nodiscard]] Screen screen() const;
  /// For StopAsked: "alice on pts/3", "uid 1234".
  [[nodiscard]] std::string who() const;

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace muster::client
