#include "job/task_page.h"

#include "spec/names.h"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

TEST(TaskPage, IsReadAsItWasWritten) {
  const TaskPage page{.port = 8265, .path = "/lab?x=1"};
  EXPECT_EQ(url_of(page), "http://localhost:8265/lab?x=1");
  EXPECT_EQ(task_page_of(url_of(page)), page);
}

TEST(TaskPage, IsNothingElse) {
  for (const char* url :
       {"http://elsewhere:80/", "http://localhost:/", "http://localhost:0/",
        "http://localhost:70000/", "http://localhost:80", "tensorboard/", "http://localhost:80/a b",
        "http://localhost:80@evil/", "http://localhost:80/a/../../api/status",
        "http://localhost:80/..", "http://localhost:80/.%2E/%2e%2e/x",
        "http://localhost:80/a\\..\\..\\x"}) {
    EXPECT_FALSE(task_page_of(url).has_value()) << url;
  }
  for (const char* path : {"/", "/a..b/...", "/..a/", "/?next=/../x"}) {
    EXPECT_TRUE(task_page_of(url_of({.port = 80, .path = path})).has_value()) << path;
  }
}

TEST(TaskPage, IsSeenBelowTheJobsPage) {
  EXPECT_EQ(link_of("dashboard", "http://localhost:8265/lab"), "endpoints/dashboard/lab");
  EXPECT_EQ(link_of("Bad/name", "http://localhost:8265/"), "http://localhost:8265/");
  EXPECT_EQ(link_of("tensorboard", "tensorboard/?x"), "tensorboard/?x");
}

TEST(TaskPage, NamesFitIntoAddresses) {
  EXPECT_EQ(spec::wrong_endpoint_name("ray-dashboard_2"), "");
  for (const char* name : {"", "A", "2x", "a/b", "a.b", "..", "tensorboard"}) {
    EXPECT_NE(spec::wrong_endpoint_name(name), "") << name;
  }
}

}  // namespace
}  // namespace muster::job
