#include "fs/entry_text.h"

#include <gtest/gtest.h>

namespace muster::fs {
namespace {

using hadoop::hdfs::FileStatus;
using hadoop::hdfs::FileType;

/// 2026-11-21 06:05 UTC.
constexpr int64_t kModifiedMs = 1'795'241'100'000;

FileStatus file() {
  FileStatus status;
  status.type = FileType::File;
  status.size_bytes = 1'610'612'736;
  status.permission = 0640;
  status.owner = "alice";
  status.group = "staff";
  status.replication = 3;
  status.block_bytes = 128U << 20;
  status.modified_ms = kModifiedMs;
  return status;
}

TEST(EntryText, ShowsPermissionsAsHadoopDoes) {
  FileStatus status = file();
  EXPECT_EQ(mode_text(status), "-rw-r-----");
  status.type = FileType::Folder;
  status.permission = 01777;
  EXPECT_EQ(mode_text(status), "drwxrwxrwt");
  status.permission = 01776;
  EXPECT_EQ(mode_text(status), "drwxrwxrwT");
}

TEST(EntryText, MakesOneLineOfAFile) {
  EXPECT_EQ(line_of(file(), "/data/a", false),
            "-rw-r-----   3 alice    staff      1610612736 2026-11-21 06:05 /data/a");
  EXPECT_EQ(line_of(file(), "/data/a", true),
            "-rw-r-----   3 alice    staff         1.5 GiB 2026-11-21 06:05 /data/a");
}

TEST(EntryText, KeepsAHostileNameFromTheTerminal) {
  const std::string line = line_of(file(), "/data/\x1b[31m", false);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST(EntryText, MakesJsonOfAFileThatWasNeverRead) {
  EXPECT_EQ(json_of(file(), "/data/\"a\""),
            R"({"path":"/data/\"a\"","type":"file","size_bytes":1610612736,"permission":"0640",)"
            R"("owner":"alice","group":"staff","replication":3,"block_bytes":134217728,)"
            R"("modified":"2026-11-21T06:05:00.000Z","accessed":null})");
}

TEST(EntryText, TellsNoSizeOfAFolder) {
  FileStatus status = file();
  status.type = FileType::Folder;
  const std::string details = details_of(status, "/data");
  EXPECT_EQ(details.find("size:"), std::string::npos);
  EXPECT_NE(details.find("type: folder\n"), std::string::npos);
}

}  // namespace
}  // namespace muster::fs
