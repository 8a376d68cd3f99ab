#include "tony/model_parameters.h"

#include "base/text.h"

#include <cstddef>

namespace muster::tony {
namespace {

constexpr std::string_view kMark = "Model parameters: ";
/// No environment variable is longer.
constexpr size_t kLineMax = size_t{256} << 10U;

}  // namespace

void ModelParameters::feed(std::string_view output) {
  while (!done_ && !output.empty()) {
    const size_t end = output.find('\n');
    const std::string_view part = output.substr(0, end);
    line_ += part.substr(0, kLineMax - line_.size());
    output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
    if (end == std::string_view::npos) {
      return;
    }
    done_ = line_.find(kMark) != std::string::npos;
    if (!done_) {
      line_.clear();
    }
  }
}

std::optional<std::string> ModelParameters::found() const {
  const size_t mark = line_.find(kMark);
  if (mark == std::string::npos) {
    return std::nullopt;
  }
  return std::string(trim(std::string_view(line_).substr(mark + kMark.size())));
}

}  // namespace muster::tony
