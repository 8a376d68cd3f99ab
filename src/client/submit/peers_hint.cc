#include "client/submit/peers_hint.h"

#include "base/text.h"
#include "spec/check/program_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace muster::client {
namespace {

/// A program that joins others does so in the file that is started, or imports the code for it in
/// that file's first lines.
constexpr uint64_t kProgramBytesMax = 1U << 20;

/// What a program that meets its peers through a framework contains, and the variables that it then
/// reads.
struct Sign {
  std::string_view text;
  std::string_view framework;
  std::string_view reads;
};
constexpr std::array kSigns = {
    Sign{"init_process_group(", "pytorch", "RANK and MASTER_ADDR"},
    Sign{"init_distributed(", "pytorch", "RANK and MASTER_ADDR"},
    Sign{"Accelerator(", "pytorch", "RANK and MASTER_ADDR"},
    Sign{"MultiWorkerMirroredStrategy(", "tensorflow", "TF_CONFIG"},
    Sign{"TFConfigClusterResolver(", "tensorflow", "TF_CONFIG"},
    Sign{"jax.distributed.initialize(", "jax", "JAX_COORDINATOR_ADDRESS"},
    Sign{"hvd.init(", "horovod", "HOROVOD_RANK"},
};
/// A program that sets one of these, or starts its peers itself, needs no help.
constexpr std::array<std::string_view, 5> kOwnWays = {
    "environ[\"MASTER_ADDR\"] =", "environ['MASTER_ADDR'] =", "environ[\"TF_CONFIG\"] =",
    "environ['TF_CONFIG'] =", "mp.spawn("};

bool leaves_peers_open(const spec::Spec& spec) {
  uint32_t tasks = 0;
  for (const spec::Role& role : spec.roles) {
    tasks += role.tasks;
  }
  return tasks > 1 && spec.framework == spec::Framework::Generic &&
         spec.runtime == spec::Runtime{} && spec.variables.empty();
}

/// Returns where the file that the tasks start as `program` can be read here.
std::string place_of(const std::string& program, const std::vector<spec::File>& files) {
  const auto file = std::ranges::find_if(files, [&program](const spec::File& each) {
    return program ==
           (each.as.empty() ? std::filesystem::path(each.src).filename().string() : each.as);
  });
  return file == files.end() ? program : file->src;
}

/// Returns "" for what does not exist, is not a file (a pipe would never end), or is too long.
std::string text_of(os::Files& files, const std::filesystem::path& place) {
  const Result<os::FileStat> stat = files.stat(place);
  return stat && stat->kind == os::FileKind::File ? files.read(place, kProgramBytesMax).value_or("")
                                                  : "";
}

const Sign* sign_in(std::string_view text) {
  const auto has = [text](std::string_view part) { return text.contains(part); };
  const auto* const sign =
      std::ranges::find_if(kSigns, [&has](const Sign& each) { return has(each.text); });
  return sign == kSigns.end() || std::ranges::any_of(kOwnWays, has) ? nullptr : sign;
}

}  // namespace

std::string peers_hint(os::Files& files, const spec::Spec& spec,
                       const std::filesystem::path& folder) {
  if (!leaves_peers_open(spec)) {
    return "";
  }
  for (const spec::Role& role : spec.roles) {
    const spec::RoleSettings settings = settings_of(spec, role);
    const std::string program = spec::program_of(settings.command);
    if (program.empty() || !role.variables.empty() || settings.env.contains("MASTER_ADDR") ||
        settings.env.contains("TF_CONFIG")) {
      continue;
    }
    if (const Sign* const sign =
            sign_in(text_of(files, folder / place_of(program, settings.files)))) {
      return fmt::format(
          "{} calls {}...), but the job has no framework, so its tasks find no {}: "
          "--framework {}, or `framework: {}` in a specification, gives them",
          printable(program), sign->text, sign->reads, sign->framework, sign->framework);
    }
  }
  return "";
}

}  // namespace muster::client
