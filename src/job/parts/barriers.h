#pragma once

#include <cstdint>
#include <string>

namespace muster::job {

struct MachineParts;

/// Opens the barriers that are complete, unless an earlier attempt of a task that would start may
/// still be alive. Owns nothing.
class Barriers {
 public:
  explicit Barriers(MachineParts& parts) : parts_(parts) {}

  void open_if_complete(uint32_t cohort);
  /// What keeps a barrier shut although everybody has joined, for people; "" for nothing.
  [[nodiscard]] std::string wait_of_the_fenced() const;

 private:
  [[nodiscard]] bool is_fenced(uint32_t cohort) const;

  MachineParts& parts_;
};

}  // namespace muster::job
