#pragma once

#include "job/ids.h"
#include "job/plan.h"

#include <vector>

namespace muster::job {

/// What one part of the machine remembers about each task: by role, by index, as in State::tasks.
template <class T>
class PerTask {
 public:
  explicit PerTask(const Plan& plan) {
    for (const RolePlan& role : plan.roles) {
      rows_.emplace_back(role.tasks);
    }
  }

  [[nodiscard]] T& operator[](TaskId id) { return rows_[id.role.value][id.index]; }
  [[nodiscard]] const T& operator[](TaskId id) const { return rows_[id.role.value][id.index]; }

  template <class Change>
  void for_each(Change change) {
    for (std::vector<T>& row : rows_) {
      for (T& each : row) {
        change(each);
      }
    }
  }

 private:
  std::vector<std::vector<T>> rows_;
};

}  // namespace muster::job
