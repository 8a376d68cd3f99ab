#pragma once

#include <optional>
#include <string_view>

namespace muster::scalars {

/// Returns the number in a tensorflow.TensorProto that holds exactly one (fields: dtype 1,
/// tensor_shape 2, tensor_content 4, then a list for each type). nullopt for text, for complex
/// numbers, for more or fewer values than one, and for damage.
[[nodiscard]] std::optional<double> scalar_of_tensor(std::string_view message);

}  // namespace muster::scalars
