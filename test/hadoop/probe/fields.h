#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What probes read: one JSON object per line, from which they take fields.
namespace muster::probe {

namespace json = boost::json;

/// Return fields of a request; if they have the wrong type, the test is wrong.
[[nodiscard]] std::string text_of(const json::object& from, std::string_view key,
                                  std::string_view otherwise);
[[nodiscard]] int64_t number_of(const json::object& from, std::string_view key, int64_t otherwise);
[[nodiscard]] bool flag_of(const json::object& from, std::string_view key);
[[nodiscard]] std::vector<std::string> texts_of(const json::object& from, std::string_view key);

}  // namespace muster::probe
