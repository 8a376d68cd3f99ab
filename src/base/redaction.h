#pragma once

#include <map>
#include <string>
#include <string_view>

namespace muster {

/// Returns `text` with every secret value replaced by "***". `secrets` are the values of the spec's
/// `from_env` and `from_file` entries by key path; blanks around a value do not matter. Values
/// shorter than kRedactedBytesMin stay, because they would match words that are not secret, and so
/// does a secret that the program splits or encodes before printing it.
[[nodiscard]] std::string redact(std::string_view text,
                                 const std::map<std::string, std::string>& secrets);

inline constexpr size_t kRedactedBytesMin = 4;

/// Returns whether a variable or an option of this name probably holds a secret ("API_TOKEN",
/// "db_password").
[[nodiscard]] bool sounds_secret(std::string_view name);

}  // namespace muster
