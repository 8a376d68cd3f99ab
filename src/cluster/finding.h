#pragma once

#include <cstdint>
#include <string>

namespace muster::cluster {

/// One finding of `muster doctor`.
struct Finding {
  enum class Verdict : uint8_t { Good, Note, Bad };
  Verdict verdict = Verdict::Good;
  std::string subject;  ///< "memory", "python3": stable, for --json.
  std::string text;     ///< What was found.
  std::string advice;   ///< What to do; empty when all is well.
};

/// How closely doctor looks.
enum class ExamineDepth : uint8_t {
  Shallow,
  Deep,  ///< Also runs a one-container job if hosts cannot be seen otherwise.
};

}  // namespace muster::cluster
