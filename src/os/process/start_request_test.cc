#include "os/process/start_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace muster::os {
namespace {

TEST(StartRequest, CarriesWordsAndDescriptors) {
  auto ends = make_start_socket();
  ASSERT_TRUE(ends.has_value());
  int pipe_fds[2];
  ASSERT_EQ(::pipe(pipe_fds), 0);
  const rt::Fd read_end(pipe_fds[0]);
  rt::Fd write_end(pipe_fds[1]);
  ASSERT_TRUE(send_start_request(ends->first.get(),
                                 {{"muster", "", "a b"}, {write_end.get()}, write_end.get()})
                  .has_value());
  write_end.reset();
  auto received = receive_start_request(ends->second.get());
  ASSERT_TRUE(received.has_value());
  EXPECT_THAT(received->argv, ::testing::ElementsAre("muster", "", "a b"));
  ASSERT_EQ(received->fds.size(), 1U);
  EXPECT_EQ(::write(received->fds[0].get(), "x", 1), 1);
  EXPECT_EQ(::write(received->output.get(), "y", 1), 1);
}

TEST(StartRequest, TellsThatTheOtherEndIsGone) {
  auto ends = make_start_socket();
  ends->first.reset();
  EXPECT_EQ(receive_start_request(ends->second.get()).error().code, Errc::Unavailable);
  EXPECT_EQ(send_start_request(ends->second.get(), {{"muster"}, {}, -1}).error().code,
            Errc::Unavailable);
}

}  // namespace
}  // namespace muster::os
