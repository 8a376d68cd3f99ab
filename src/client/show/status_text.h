#pragma once

#include <string>
#include <string_view>

namespace muster::client {

/// Returns the member `waits_for` of a status document, or "" if it is null or missing.
[[nodiscard]] std::string waits_for_of(std::string_view status_json);

/// Returns the member `log_trouble`: why the job's log cannot be written; "" if it can.
[[nodiscard]] std::string log_trouble_of(std::string_view status_json);
/// Returns the member `notice_trouble`: which notice is not delivered, and why; "" for none.
[[nodiscard]] std::string notice_trouble_of(std::string_view status_json);

}  // namespace muster::client
