#include "agent/program/event_folder.h"

#include "os/file/local_files.h"
#include "scalars/event_bytes_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

class EventFolderTest : public ::testing::Test {
 protected:
  EventFolderTest() {
    char name[] = "/tmp/event-folder-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~EventFolderTest() override { fs::remove_all(root_); }

  void write(const std::string& name, std::string_view bytes) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary | std::ios::app) << bytes;
  }
  static std::string loss(int64_t step) {
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    return scalars::record(scalars::event(now, step, scalars::simple_value("loss", 1)));
  }
  EventFolder::Options options() {
    EventFolder::Options options;
    options.folder = root_;
    options.since = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    return options;
  }
  static std::string text_of(const EventFolder::Look& look) {
    std::string text;
    for (const EventFolder::Found& found : look.found) {
      text += found.run + ":" + std::to_string(found.scalar.step.value_or(-1)) + " ";
    }
    return text;
  }

  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  fs::path root_;
};

constexpr const char* kFile = "events.out.tfevents.1700000000.host.4711.0";

TEST_F(EventFolderTest, ReadsFilesAsTheyGrow) {
  EventFolder folder(*files_, options());
  EXPECT_EQ(text_of(folder.look({})), "");
  const std::string two = loss(2);
  write(kFile, loss(1) + two.substr(0, 20));
  write(std::string("eval/") + kFile, loss(5));
  EXPECT_EQ(text_of(folder.look({})), "eval:5 :1 ");
  write(kFile, two.substr(20));
  EXPECT_EQ(text_of(folder.look({})), ":2 ");
  EXPECT_EQ(text_of(folder.look({})), "");
}

TEST_F(EventFolderTest, LeavesOlderFilesAlone) {
  write(kFile, loss(1));
  fs::last_write_time(root_ / kFile, fs::file_time_type::clock::now() - std::chrono::hours(1));
  EventFolder folder(*files_, options());
  EXPECT_EQ(text_of(folder.look({})), "");
}

TEST_F(EventFolderTest, TellsWhoseFilesAreInASharedFolder) {
  EventFolder::Options shared = options();
  shared.shared = true;
  EventFolder own(*files_, shared);
  EventFolder others(*files_, shared);
  shared.takes_unnamed = true;
  EventFolder chief(*files_, shared);
  write(kFile, loss(1));
  write("events.out.tfevents.1700000000.host", loss(2));
  EXPECT_EQ(text_of(others.look({os::Pid{1}})), "");
  EXPECT_EQ(text_of(own.look({os::Pid{4711}})), ":1 ");
  EXPECT_EQ(text_of(chief.look({os::Pid{1}})), ":2 ");
  EXPECT_EQ(text_of(others.look({os::Pid{4711}})), ":1 ");
}

TEST_F(EventFolderTest, SaysOnceWhatCannotBeRead) {
  EventFolder folder(*files_, options());
  write(kFile, loss(1) + "this is no record, and never was one");
  write(std::string("other/") + kFile, loss(3));
  const EventFolder::Look look = folder.look({});
  EXPECT_EQ(text_of(look), ":1 other:3 ");
  ASSERT_EQ(look.troubles.size(), 1U);
  EXPECT_THAT(look.troubles[0], ::testing::HasSubstr("the checksum of its length does not match"));
  EXPECT_TRUE(folder.look({}).troubles.empty());
}

TEST_F(EventFolderTest, ReadsSoMuchAtATime) {
  EventFolder folder(*files_, options());
  write(kFile, scalars::record(std::string(EventFolder::kLookBytesMax, 'g')) + loss(1));
  const EventFolder::Look look = folder.look({});
  EXPECT_TRUE(look.more);
  EXPECT_EQ(text_of(look), "");
  EXPECT_EQ(text_of(folder.look({})), ":1 ");
}

TEST_F(EventFolderTest, FollowsNoLinksAndIsBounded) {
  fs::create_directory_symlink(root_, root_ / "again");
  write("a/b/c/d/e/" + std::string(kFile), loss(1));
  for (int i = 0; i < 100; ++i) {
    write("events.out.tfevents.1700000000.h." + std::to_string(i + 1) + ".0", loss(i));
  }
  EventFolder folder(*files_, options());
  EXPECT_EQ(folder.look({}).found.size(), EventFolder::kFilesMax);
}

}  // namespace
}  // namespace muster::agent
