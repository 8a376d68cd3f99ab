#include "agent/attempt/interpreter.h"

#include "agent/attempt/shell_command.h"
#include "base/text.h"

namespace muster::agent {
namespace {

std::string_view python_word(std::string_view command) {
  for (const std::string_view word : split(command, ' ')) {
    const size_t slash = word.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? word : word.substr(slash + 1);
    // "python3.11", not "python_job.sh".
    if (name.starts_with("python") &&
        name.find_first_not_of("0123456789.", 6) == std::string_view::npos) {
      return word;
    }
  }
  return "python3";
}

}  // namespace

std::string python_of(os::Files& files, std::string_view command, std::string_view path,
                      const std::filesystem::path& folder) {
  return find_program(files, python_word(command), path, folder);
}

}  // namespace muster::agent
