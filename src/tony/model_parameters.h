#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::tony {

/// Finds the parameters that a preprocessing prints, which its tasks get as MODEL_PARAMS: as in
/// TonY, what stands behind "Model parameters: " in the first line that has it. Holds no more than
/// a line of the output.
class ModelParameters {
 public:
  /// Takes the next part of the output, which may end anywhere.
  void feed(std::string_view output);
  /// Nothing if no line had them. At the end of the output, whose last line may lack its end.
  [[nodiscard]] std::optional<std::string> found() const;

 private:
  std::string line_;  ///< The one that has not ended, or the one that has them.
  bool done_ = false;
};

}  // namespace muster::tony
