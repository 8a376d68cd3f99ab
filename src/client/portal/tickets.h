#pragma once

#include "base/result.h"
#include "page/negotiator.h"
#include "rt/io_loop.h"

#include <memory>
#include <string>

namespace muster::client {

/// Knows people by tickets that a service gets of them.
class Tickets {
 public:
  virtual ~Tickets() = default;
  /// For the service HTTP of this host, whose keys are in that file. Runs the loop to find out
  /// whether they are; errors say what is missing.
  virtual Result<std::unique_ptr<page::Negotiator>> judge(rt::IoLoop& loop,
                                                          const std::string& keytab) = 0;
};

}  // namespace muster::client
