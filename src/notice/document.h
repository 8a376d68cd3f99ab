#pragma once

#include "base/time.h"
#include "job/plan.h"
#include "job/state.h"
#include "notice/policy.h"

#include <map>
#include <string>
#include <vector>

namespace muster::notice {

/// What a notice contains that neither plan nor state knows.
struct Context {
  WallTime now{};
  std::string on;              ///< The cluster's name.
  std::string application_id;  ///< "" for none.
  std::string page;            ///< The job's page; what follows a `#` is dropped, it may be a key.
  /// Values that must not appear, by the path of their key.
  const std::map<std::string, std::string>* secrets = nullptr;
};

/// Returns what happened, in one sentence.
[[nodiscard]] std::string sentence(const Notice& notice, const job::Plan& plan,
                                   const job::State& state);

/// Returns the notice as one line of JSON (schema muster.notice/1) of at most some ten KiB.
[[nodiscard]] std::string document(const Notice& notice, const job::Plan& plan,
                                   const job::State& state, const Context& context);

/// Returns the notice as a mail, head and body, with line feeds.
[[nodiscard]] std::string mail(const Notice& notice, const job::Plan& plan, const job::State& state,
                               const Context& context, const std::vector<std::string>& to);

}  // namespace muster::notice
