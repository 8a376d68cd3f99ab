#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Members of the small JSON files in a job's folder, read without trust in their form.
namespace muster::cluster {

/// "" if it is missing or not text.
[[nodiscard]] std::string text_in(const boost::json::object& from, std::string_view key);
/// nullopt if it is missing, not a whole number, or too large.
[[nodiscard]] std::optional<int64_t> number_in(const boost::json::object& from,
                                               std::string_view key);

}  // namespace muster::cluster
