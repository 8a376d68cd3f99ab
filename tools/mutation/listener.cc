// Linked into mutated test programs: notes which mutations each test reaches (switch.h).

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

/// After each test, writes one line to $MUTANT_TRACE.tests, and its marks in the same order to
/// .marks.
class Listener : public testing::EmptyTestEventListener {
 public:
  explicit Listener(const std::string& path)
      : tests_(std::fopen((path + ".tests").c_str(), "w")),
        marks_(std::fopen((path + ".marks").c_str(), "w")) {}

 private:
  void OnTestStart(const testing::TestInfo& /*test*/) override {
    std::memset(muster_mutants::trace.marks, 0, muster_mutants::trace.size);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    if (tests_ == nullptr || marks_ == nullptr || test.result()->Failed() ||
        test.result()->Skipped()) {
      return;
    }
    std::fprintf(tests_, "%s.%s\t%lld\n", test.test_suite_name(), test.name(),
                 static_cast<long long>(test.result()->elapsed_time()));
    std::fwrite(muster_mutants::trace.marks, 1, muster_mutants::trace.size, marks_);
    std::fflush(tests_);
    std::fflush(marks_);
  }

  std::FILE* tests_;
  std::FILE* marks_;
};

const bool kListening = [] {
  if (muster_mutants::trace.marks != nullptr) {
    testing::UnitTest::GetInstance()->listeners().Append(new Listener(std::getenv("MUTANT_TRACE")));
  }
  return true;
}();

}  // namespace
