#include "hadoop/token_file.h"

#include "hadoop/conf_fixture_test.h"
#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::hadoop {
namespace {

class TokenFile : public ::testing::Test {
 protected:
  TokenFile()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("tokens-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TokenFile() override { std::filesystem::remove_all(folder_); }

  static Credentials with(const std::string& alias, const std::string& service) {
    Credentials credentials;
    credentials.add(alias, {.identifier = "i",
                            .password = Secret("p"),
                            .kind = "HDFS_DELEGATION_TOKEN",
                            .service = service});
    return credentials;
  }

  std::filesystem::path folder_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
};

TEST_F(TokenFile, IsWrittenForItsOwnerAlone) {
  const auto path = folder_ / "tokens";
  ASSERT_TRUE(write_token_file(*files_, path, with("a", "s"), CredentialsFormat::Protobuf));
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(*read_token_file(*files_, path), with("a", "s"));
}

TEST_F(TokenFile, AllThatAreNamedAreRead) {
  ASSERT_TRUE(write_token_file(*files_, folder_ / "1", with("a", "first")));
  ASSERT_TRUE(write_token_file(*files_, folder_ / "2", with("a", "second")));
  const Surroundings given{.environment = {{"HADOOP_TOKEN_FILE_LOCATION", folder_ / "2"}},
                           .properties = {}};
  const Configuration configuration =
      configured({{"hadoop.token.files", "file:" + (folder_ / "1").string()}}, given);
  const Result<Credentials> read = load_credentials(*files_, configuration);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, with("a", "second"));
  EXPECT_EQ(load_credentials(*files_, Configuration())->tokens().size(), 0U);
}

TEST_F(TokenFile, SaysWhichFileIsMissingOrDamaged) {
  const Result<Credentials> none = read_token_file(*files_, folder_ / "none");
  EXPECT_EQ(none.error().code, Errc::NotFound);
  EXPECT_NE(none.error().message.find("cannot read the Hadoop token file"), std::string::npos);
  ASSERT_TRUE(files_->write(folder_ / "bad", "HDTS"));
  EXPECT_EQ(read_token_file(*files_, folder_ / "bad").error().message,
            "the Hadoop token file " + (folder_ / "bad").string() +
                ": not a Hadoop token file: it does not begin with HDTS");
}

}  // namespace
}  // namespace muster::hadoop
