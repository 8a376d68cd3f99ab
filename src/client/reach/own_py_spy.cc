#include "client/reach/own_py_spy.h"

#include "base/text.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

namespace muster::client {
namespace {

constexpr size_t kToolBytesMax = 64U << 20;

}  // namespace

std::string own_py_spy(const Session& session) {
  std::vector<std::filesystem::path> folders = {session.program.parent_path()};
  const std::string path = session.environment.find("PATH").value_or("");
  for (const std::string_view folder : split(path, ':')) {
    folders.emplace_back(folder);
  }
  for (const std::filesystem::path& folder : folders) {
    std::error_code failed;
    const std::filesystem::path tool = folder / "py-spy";
    const uintmax_t bytes = folder.empty() ? 0 : std::filesystem::file_size(tool, failed);
    if (!failed && bytes > 0 && bytes <= kToolBytesMax) {
      std::ifstream file(tool, std::ios::binary);
      std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      // A script that only starts a module would be useless elsewhere.
      if (content.starts_with("\x7f"
                              "ELF")) {
        return content;
      }
    }
  }
  return "";
}

}  // namespace muster::client
