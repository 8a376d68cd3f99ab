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
///
/// A scope is for one meeting of ranks: each sets a value under its number, and others besides,
/// reads those of all others and says that it has finished. Ranks may meet in it again, so what
/// they set the last time must not be found then.
class KvStore {
 public:
  explicit KvStore(KvLimits limits = {}) : limits_(limits) {}

  /// Sets a value. An error names the limit that it would exceed; nothing is changed then.
  [[nodiscard]] Status put(std::string_view scope, std::string_view key, std::string value);
  /// Returns nullptr if it has not been set; otherwise valid until the next change.
  [[nodiscard]] const std::string* find(std::string_view scope, std::string_view key) const;
  /// Says that the rank of this number has read all that it wants of the scope, which is forgotten
  /// once that holds for all ranks in it; until then others may still want its value. A value under
  /// another key is forgotten at once. Harmless when said twice, and for what is not there.
  void finish(std::string_view scope, std::string_view key);

 private:
  struct Value {
    std::string text;
    bool finished = false;
  };
  struct Scope {
    std::map<std::string, Value, std::less<>> values;
    size_t unfinished = 0;  ///< Of its ranks.
  };

  [[nodiscard]] static size_t size_of(std::string_view scope, std::string_view key,
                                      std::string_view value);

  KvLimits limits_;
  size_t bytes_ = 0;
  size_t entries_ = 0;
  std::map<std::string, Scope, std::less<>> scopes_;
};

}  // namespace muster::inside
