#pragma once

#include <string_view>

namespace muster::client {

/// The specification of `muster demo`: a chief and three workers that need nothing but python3.
[[nodiscard]] std::string_view demo_spec();
/// Its program, demo.py.
[[nodiscard]] std::string_view demo_program();

}  // namespace muster::client
