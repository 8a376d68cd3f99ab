#pragma once

#include "base/strong.h"
#include "base/time.h"
#include "job/ids.h"
#include "job/parts/budget.h"

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace muster::job {

/// FNV-1a over words, with a final mix by jitter_bits.
class Digest {
 public:
  void add(uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001B3ULL; }
  void add(std::string_view text) {
    add(text.size());
    for (const char each : text) {
      add(static_cast<uint64_t>(static_cast<unsigned char>(each)));
    }
  }
  template <class Tag, class Representation>
  void add(const Strong<Tag, Representation>& strong) {
    add(strong.value);
  }
  void add(Time at) { add(static_cast<uint64_t>(at.time_since_epoch().count())); }
  void add(TaskId id) {
    add(id.role);
    add(id.index);
  }
  template <class E>
    requires std::is_enum_v<E>
  void add(E value) {
    add(static_cast<uint64_t>(value));
  }
  [[nodiscard]] uint64_t value() const { return jitter_bits(hash_, 0, 0); }

 private:
  uint64_t hash_ = 0xCBF29CE484222325ULL;
};

struct MachineParts;

/// Returns a hash of everything the machine knows, for replay checks.
[[nodiscard]] uint64_t digest_of(const MachineParts& parts);

}  // namespace muster::job
