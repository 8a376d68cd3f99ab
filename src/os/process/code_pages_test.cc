#include "os/process/code_pages.h"

#include "os/host/proc_text.h"
#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace muster::os {
namespace {

uint64_t file_pages_kb() {
  return number_after(read_proc("/proc/self/status"), "RssFile:").value_or(0);
}

TEST(CodePages, AreGivenBackAndTheProgramGoesOn) {
  const uint64_t before = file_pages_kb();
  ASSERT_GT(before, 0U) << "the kernel tells what of a program's files is mapped";
  give_back_code_pages();
  const uint64_t after = file_pages_kb();
  EXPECT_LT(after, before);
}

TEST(CodePages, AreGivenBackEverMoreRarely) {
  muster::testing::FakeLoop loop;
  const CodePages pages(loop);
  std::vector<HostTime> times;
  while (times.size() < 9) {
    times.push_back(loop.next().value());
    loop.advance(times.back() - loop.now());
  }
  EXPECT_EQ(times.front(), HostTime(std::chrono::seconds(1)));
  EXPECT_EQ(times.at(8) - times.at(7), std::chrono::minutes(1));
}

}  // namespace
}  // namespace muster::os
