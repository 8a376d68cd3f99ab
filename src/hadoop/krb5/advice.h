#pragma once

#include <string_view>

namespace muster::hadoop::krb5 {

/// Returns what to do about an error that the Kerberos library states in `text` (English): "look at
/// [realms] in krb5.conf"; empty if nothing better than its text is known.
[[nodiscard]] std::string_view advice_for(std::string_view text);

}  // namespace muster::hadoop::krb5
