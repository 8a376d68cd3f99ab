#pragma once

#include "base/result.h"
#include "page/negotiator.h"
#include "rt/io_loop.h"

#include <memory>
#include <string>

namespace muster::client {

/// Identifies people by the tickets that they send to a service.
class Tickets {
 public:
  virtual ~Tickets() = default;
  /// For the service HTTP of this host, whose keys are in the given file. Runs the loop to check
  /// that they are; errors say what is missing.
  virtual Result<std::unique_ptr<page::Negotiator>> judge(rt::IoLoop& loop,
                                                          const std::string& keytab) = 0;
};

}  // namespace muster::client
