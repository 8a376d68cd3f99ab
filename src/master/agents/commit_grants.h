#pragma once

#include "job/ids.h"
#include "master/decider.h"
#include "wire/frame.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace muster::master {

/// Grants checkpoint commits: an attempt asks, the machine says whether it may, the commit is
/// logged, and only then granted. A repeated request for a granted one is granted again.
class CommitGrants {
 public:
  using Answer = std::function<void(const job::ContainerId&, const wire::CommitAnswered&)>;

  CommitGrants(Decider& decider, Answer answer) : decider_(decider), answer_(std::move(answer)) {}

  void asked(const job::ContainerId& container, const wire::CommitAsked& asked);
  /// A fact is in the log: if it was a commit, its grant goes out.
  void released(uint64_t index);

 private:
  struct Grant {
    job::ContainerId container;
    wire::CommitAnswered answer;
  };
  Decider& decider_;
  Answer answer_;
  std::map<uint64_t, Grant> waiting_;  ///< By the index of their fact.
};

}  // namespace muster::master
