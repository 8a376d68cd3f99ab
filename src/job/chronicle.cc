#include "job/chronicle.h"

#include <algorithm>

namespace muster::job {

bool Chronicle::reached(std::string_view step) const {
  return std::ranges::find(steps_, step, &Step::name) != steps_.end();
}

void Chronicle::begin_fact() {
  restart_.reset();
  unconfirmed_.clear();
}

void Chronicle::reach(std::string_view step, Time at) {
  if (!reached(step)) {
    steps_.push_back({std::string(step), at});
  }
}

void Chronicle::end_fact(const std::optional<Outcome>& outcome) {
  if (first_cause_) {
    return;
  }
  if (restart_) {
    first_cause_ = restart_->cause;
  } else if (outcome) {
    first_cause_ = outcome->first_cause;
  }
}

void Chronicle::take(const NoticeTold& told) {
  const auto known = std::ranges::find_if(notices_, [&](const NoticeTold& each) {
    return each.notice == told.notice && each.way == told.way;
  });
  if (known != notices_.end()) {
    *known = told;
  } else if (notices_.size() < kNoticesMax) {
    notices_.push_back(told);
  }
}

}  // namespace muster::job
