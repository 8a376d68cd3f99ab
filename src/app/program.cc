#include "app/program.h"

#include <string>
#include <system_error>

namespace muster::app {

std::filesystem::path own_program() {
  std::error_code error;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  // A binary that was replaced while it runs is called "... (deleted)"; /proc/self/exe still leads
  // to it.
  return error || !std::filesystem::exists(path, error) ? std::filesystem::path("/proc/self/exe")
                                                        : path;
}

}  // namespace muster::app
