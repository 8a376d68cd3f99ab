#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace muster::hadoop {

/// Bytes that must not reach logs, messages or other users: they are accessible only through
/// reveal(), so no format call or log field takes them by accident.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] const std::string& reveal() const { return bytes_; }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  bool operator==(const Secret&) const = default;

 private:
  std::string bytes_;
};

}  // namespace muster::hadoop
