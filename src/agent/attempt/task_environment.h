#pragma once

#include "base/result.h"
#include "job/action.h"
#include "job/plan.h"
#include "job/view.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::agent {

using Variables = std::map<std::string, std::string>;

/// Set for agents in containers of YARN: the application's id.
inline constexpr const char* kApplicationId = "MUSTER_APPLICATION_ID";

/// What an attempt's environment is made of.
struct EnvironmentSources {
  const job::Plan* plan = nullptr;
  const job::View* view = nullptr;
  job::PrepareAttempt order;
  std::filesystem::path work_folder;
  std::filesystem::path checkpoint_folder;
  std::filesystem::path view_file;
  std::filesystem::path program_folder;  ///< Put last on PATH (muster-commit); empty for none.
  std::filesystem::path commit_folder;   ///< MUSTER_COMMIT_DIR; empty: not set.
  std::filesystem::path python_folder;   ///< Put first on PATH; empty for none.
  std::string class_path;                ///< CLASSPATH, for libhdfs; empty: as inherited.
  std::string program;                   ///< Muster's own binary.
  std::string interface;                 ///< Of the agent's address; empty: unknown.
  uint32_t cores = 1;                    ///< Of the machine.
  std::vector<uint32_t> gpus;            ///< Of the whole container.
  const Variables* inherited = nullptr;  ///< The agent's own environment.
  /// By the entry's key path: "env.TOKEN", "roles.ps.env.TOKEN".
  const Variables* secrets = nullptr;
};

struct TaskEnvironment {
  Variables variables;
  std::string view_text;  ///< The content of `view_file`.
};

/// Returns the whole environment of an attempt: what it inherits, what its framework reads
/// (framework::environment), then the spec's `env` with its secrets, which may override everything
/// but the names that Muster owns. An error names the variable that is missing.
[[nodiscard]] Result<TaskEnvironment> make_environment(const EnvironmentSources& sources);

/// Returns the GPUs of one task of a container: those of its slot.
[[nodiscard]] std::vector<uint32_t> gpus_of_slot(const std::vector<uint32_t>& container_gpus,
                                                 uint32_t slot, uint32_t gpus_per_task);

}  // namespace muster::agent
