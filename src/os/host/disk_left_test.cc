#include "os/host/disk_left.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace muster::os {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kMounts =
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    "30 22 0:30 / /home rw - nfs4 filer:/home rw\n"
    "31 30 254:1 / /home/scratch rw - xfs /dev/vdb rw\n"
    "32 22 0:31 / /mnt/models rw - fuse.s3fs s3fs rw\n"
    "damaged\n"
    "33 22 0:32 / /over rw - nfs filer:/over rw\n"
    "34 22 254:2 / /over rw - ext4 /dev/vdc rw\n";

std::vector<Path> local(std::vector<Path> folders) {
  return local_folders(std::move(folders), kMounts);
}

TEST(DiskLeft, IsNotAskedOfAnotherHost) {
  EXPECT_THAT(local({"/data/job", "/home/ada/ckpt", "/mnt/models"}), ElementsAre("/data/job"));
  EXPECT_THAT(local({"/homes"}), ElementsAre("/homes"));
  EXPECT_THAT(local({"/home/scratch/ckpt"}), ElementsAre("/home/scratch/ckpt"));
  EXPECT_THAT(local({"/over"}), ElementsAre("/over"));
}

TEST(DiskLeft, IsNotAskedOfWhatIsNoPlaceOfThisHost) {
  EXPECT_THAT(local({"hdfs://cluster/ckpt", ""}), IsEmpty());
  EXPECT_THAT(local_folders({"/data"}, ""), IsEmpty());
}

TEST(DiskLeft, IsThatOfTheFullestDisk) {
  const std::vector<Path> folders = {"/proc", "/nowhere/at/all", "/tmp"};
  const std::optional<DiskSpace> left = least_disk_left(folders);
  ASSERT_TRUE(left);
  EXPECT_GT(left->total_bytes, 0U);
  EXPECT_LE(left->free_bytes, left->total_bytes);
  EXPECT_EQ(left->total_bytes, std::filesystem::space("/tmp").capacity);
  EXPECT_FALSE(least_disk_left({}));
}

}  // namespace
}  // namespace muster::os
