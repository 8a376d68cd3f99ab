#pragma once

#include "base/result.h"
#include "net/resolver.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// Resolves a host's addresses; returns them as literals, the preferred one first, at least one.
[[nodiscard]] rt::Async<Result<std::vector<std::string>>> literals_of(rt::Loop* loop,
                                                                      net::Resolver* resolver,
                                                                      std::string host);

}  // namespace muster::cluster::yarn
