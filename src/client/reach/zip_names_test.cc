#include "client/reach/zip_names.h"

#include "os/file/local_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace muster::client {
namespace {

using ::testing::ElementsAre;

/// An archive of two stored entries, "a/" and "a/b" containing "hi", as zip writes it.
std::string archive() {
  const auto number = [](uint32_t value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i) {
      bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
    }
    return bytes;
  };
  std::string directory;
  for (const std::string_view name : {"a/", "a/b"}) {
    directory += "PK\1\2" + std::string(24, '\0') + number(static_cast<uint32_t>(name.size()), 2) +
                 number(4, 2) + number(0, 2) + std::string(12, '\0') + std::string(name) + "more";
  }
  const std::string content = "what the entries hold";
  return content + directory + "PK\5\6" + std::string(4, '\0') + number(2, 2) + number(2, 2) +
         number(static_cast<uint32_t>(directory.size()), 4) +
         number(static_cast<uint32_t>(content.size()), 4) + number(7, 2) + "comment";
}

class ZipNames : public ::testing::Test {
 protected:
  Result<std::vector<std::string>> read(const std::string& bytes) {
    const std::filesystem::path path =
        std::filesystem::path(::testing::TempDir()) /
        ::testing::UnitTest::GetInstance()->current_test_info()->name();
    EXPECT_TRUE(files_->write(path, bytes).has_value());
    Result<std::vector<std::string>> names = zip_names(*files_, path);
    std::filesystem::remove(path);
    return names;
  }

  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
};

TEST_F(ZipNames, AreThoseOfTheDirectory) {
  const auto names = read(archive());
  ASSERT_TRUE(names.has_value()) << names.error().message;
  EXPECT_THAT(*names, ElementsAre("a/", "a/b"));
}

TEST_F(ZipNames, AreRefusedOfEveryPartOfAnArchive) {
  const std::string whole = archive();
  for (size_t size = 0; size + 7 < whole.size(); ++size) {
    EXPECT_FALSE(read(whole.substr(0, size)).has_value()) << size;
  }
  std::string wrong = whole;
  wrong[whole.find("PK\1\2") + 28] = '\xFF';
  EXPECT_FALSE(read(wrong).has_value());
}

}  // namespace
}  // namespace muster::client
