#include "job/transition.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace muster::job {
namespace {

/// Returns the comment above `enum class NAME` in state.h.
std::string diagram_of(const std::string& name) {
  std::ifstream in(std::string(MUSTER_SOURCE_DIR) + "/src/job/state.h");
  std::string comment;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("///")) {
      comment += line + "\n";
    } else if (line.starts_with("enum class " + name + " ")) {
      return comment;
    } else {
      comment.clear();
    }
  }
  return "";
}

/// Returns the numbers that stand alone or in lists ("2,5,7") in a text.
std::set<int> numbers_in(const std::string& text) {
  std::set<int> numbers;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= '1' && text[i] <= '9' && (i == 0 || text[i - 1] != '_')) {
      numbers.insert(text[i] - '0');
    }
  }
  return numbers;
}

template <class S, size_t N>
void expect_drawn(const std::string& name, const std::array<Transition<S>, N>& table) {
  const std::string diagram = diagram_of(name);
  ASSERT_FALSE(diagram.empty());
  std::set<int> numbers;
  std::set<std::pair<S, S>> pairs;
  for (const Transition<S>& row : table) {
    EXPECT_TRUE(numbers.insert(row.number).second)
        << name << " has " << int{row.number} << " twice";
    EXPECT_TRUE(pairs.insert({row.from, row.to}).second) << name << ": " << int{row.number};
    EXPECT_NE(diagram.find(to_string(row.from)), std::string::npos);
    EXPECT_NE(diagram.find(to_string(row.to)), std::string::npos);
  }
  EXPECT_EQ(numbers, numbers_in(diagram)) << name << ": the diagram and the table differ";
}

TEST(Transition, TablesAreTheDiagrams) {
  expect_drawn("ContainerState", kContainerTransitions);
  expect_drawn("AttemptState", kAttemptTransitions);
  expect_drawn("TaskState", kTaskTransitions);
  expect_drawn("JobPhase", kPhaseTransitions);
}

TEST(Transition, FindsRows) {
  EXPECT_EQ(row_of(kPhaseTransitions, JobPhase::Gathering, JobPhase::Running), 0U);
  EXPECT_EQ(row_of(kPhaseTransitions, JobPhase::Ended, JobPhase::Running),
            kPhaseTransitions.size());
}

}  // namespace
}  // namespace muster::job
