#pragma once

#include "cli/command.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

/// Returns the completion script for "bash", "zsh" or "fish". It runs `muster completion words ...`
/// as people type, so that its suggestions are live.
[[nodiscard]] std::string completion_script(std::string_view shell);

/// Suggestions beyond what the table itself knows. Whatever cannot be read is not suggested.
class Offers {
 public:
  virtual ~Offers() = default;
  /// Ids of jobs, newest first: of Kind::Job, LiveJob or EndedJob.
  virtual std::vector<std::string> jobs(Kind kind) = 0;
  /// What `logs` takes of a job: "worker", "worker:0", ...
  virtual std::vector<std::string> tasks_of(const std::string& job) = 0;
  /// The roles of a specification.
  virtual std::vector<std::string> roles_in(const std::string& file) = 0;
  virtual std::vector<std::string> clusters() = 0;
};

struct Completion {
  std::vector<std::string> words;
  bool files = false;  ///< The shell should offer file names.
};

/// Returns what can follow `typed` (the arguments after "muster", the last one unfinished).
[[nodiscard]] Completion complete(const Table& table, const std::vector<std::string>& typed,
                                  Offers& offers);

}  // namespace muster::cli
