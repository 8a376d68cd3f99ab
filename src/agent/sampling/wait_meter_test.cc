#include "agent/sampling/wait_meter.h"

#include "agent/sampling/readings_test.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace muster::agent {
namespace {

using metrics::Builtin;

TEST(WaitMeter, TellsWhatKeepsItFromItsWork) {
  WaitMeter meter;
  const auto one = meter.read({.for_socket = true, .for_name = true, .for_python_lock = 3.5});
  EXPECT_EQ(value_of(one, Builtin::ProcessSleeping), 0);
  EXPECT_EQ(value_of(one, Builtin::ProcessSocketWaiting), 1);
  EXPECT_EQ(value_of(one, Builtin::ProcessNameWaiting), 1);
  EXPECT_EQ(value_of(one, Builtin::ProcessChildWaiting), 0);
  EXPECT_EQ(value_of(one, Builtin::PythonLockWaiting), 3.5);
  const auto other = meter.read({.for_time = true});
  EXPECT_EQ(value_of(other, Builtin::ProcessSleeping), 1);
  EXPECT_FALSE(value_of(other, Builtin::PythonLockWaiting)) << "it is not known";
}

TEST(WaitMeter, TellsThatItWaitsForItsChildrenWhileTheyBringSomething) {
  WaitMeter meter;
  const auto waits_for = [&](uint64_t sleeps) {
    return value_of(meter.read({.for_children = true, .sleeps = sleeps}),
                    Builtin::ProcessChildWaiting);
  };
  EXPECT_EQ(waits_for(7), 0) << "one look tells nothing";
  EXPECT_EQ(waits_for(7), 0) << "a launcher, which waits for their end";
  EXPECT_EQ(waits_for(9), 1);
  EXPECT_EQ(waits_for(9), 1) << "they may be slow";
  for (int look = 0; look < 10; ++look) {
    (void)waits_for(9);
  }
  EXPECT_EQ(waits_for(9), 0) << "nothing comes any more";
  EXPECT_EQ(value_of(meter.read({}), Builtin::ProcessChildWaiting), 0);
}

}  // namespace
}  // namespace muster::agent
