#pragma once

#include "base/result.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace muster::inside {

/// How much a KvStore holds.
struct KvLimits {
  size_t key_max = 256;
  size_t value_max = size_t{4} << 20;
  size_t entries_max = size_t{1} << 18;
  size_t bytes_max = size_t{512} << 20;  ///< Of all keys and values.
};

/// Values by key, in scopes, within bounds. Pure.
class KvStore {
 public:
  explicit KvStore(KvLimits limits = {}) : limits_(limits) {}

  /// Sets a value. An error names the bound that it would pass; nothing is changed then.
  [[nodiscard]] Status put(std::string_view scope, std::string_view key, std::string value);
  /// nullptr where nobody has set it; else valid until the next change.
  [[nodiscard]] const std::string* find(std::string_view scope, std::string_view key) const;
  /// Forgets a value, if there is one.
  void erase(std::string_view scope, std::string_view key);

 private:
  KvLimits limits_;
  size_t bytes_ = 0;
  std::map<std::string, std::string, std::less<>> values_;  ///< By "scope/key".
};

}  // namespace muster::inside
