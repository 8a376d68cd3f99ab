#include "cluster/local/ready_line.h"

#include <gtest/gtest.h>

namespace muster::cluster::local {
namespace {

TEST(ReadyLine, NamesTheAddress) {
  EXPECT_EQ(parse_ready_line(ready_line("127.0.0.1:4711")).value(), "127.0.0.1:4711");
}

TEST(ReadyLine, CarriesTheMastersOwnError) {
  const Error error{Errc::OutOfSpace, Blame::User,
                    "no room for the event log: a folder with blanks\nline 2"};
  EXPECT_EQ(parse_ready_line(error_line(error)).error(), error);
}

TEST(ReadyLine, AnythingElseIsABug) {
  for (const char* line : {"", "ready", "error other", "Segmentation fault"}) {
    EXPECT_EQ(parse_ready_line(line).error().blame, Blame::Muster) << line;
  }
}

}  // namespace
}  // namespace muster::cluster::local
