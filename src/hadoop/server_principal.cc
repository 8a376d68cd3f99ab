#include "hadoop/server_principal.h"

namespace muster::hadoop {

Result<std::string> server_principal(const Configuration& configuration, std::string_view key) {
  const std::string pattern_key = std::string(key) + ".pattern";
  return configuration.text(configuration.is_set(pattern_key) ? pattern_key : key);
}

}  // namespace muster::hadoop
