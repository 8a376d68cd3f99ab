#include "hadoop/hdfs/names/name_node.h"

#include "testing/fake_loop.h"
#include "testing/run_async.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hadoop/hdfs.pb.h>
#include <memory>
#include <string>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

using ::testing::HasSubstr;

/// Answers every call with the same message or failure.
class Canned final : public rpc::Proxy {
 public:
  Canned(std::string reply, rpc::Outcome outcome)
      : reply_(std::move(reply)), outcome_(std::move(outcome)) {}

  rt::Async<rpc::Outcome> call(rpc::Method, const google::protobuf::MessageLite&,
                               google::protobuf::MessageLite& reply, rpc::CallOptions) override {
    reply.ParseFromString(reply_);
    co_return outcome_;
  }

 private:
  std::string reply_;
  rpc::Outcome outcome_;
};

Result<ListingPage> listing_with(const std::string& name) {
  ::hadoop::hdfs::GetListingResponseProto reply;
  auto& entry = *reply.mutable_dirlist()->add_partiallisting();
  reply.mutable_dirlist()->set_remainingentries(0);
  entry.set_path(name);
  entry.set_filetype(::hadoop::hdfs::HdfsFileStatusProto::IS_FILE);
  entry.set_length(1);
  entry.mutable_permission()->set_perm(0644);
  entry.set_owner("o");
  entry.set_group("g");
  entry.set_modification_time(1);
  entry.set_access_time(1);
  testing::FakeLoop loop;
  NameNode node(loop, std::make_unique<Canned>(reply.SerializeAsString(), rpc::Outcome()), {});
  return testing::run_async(loop, node.list_page("/d", "")).value();
}

TEST(NameNode, TakesNoNamesThatLeadElsewhere) {
  for (const std::string name : {"..", ".", "a/b", "../../etc/passwd"}) {
    const Result<ListingPage> page = listing_with(name);
    ASSERT_FALSE(page.has_value()) << name;
    EXPECT_THAT(page.error().message, HasSubstr("which is not a valid name")) << name;
  }
  for (const std::string name : {"a", "...", "..a", ""}) {
    EXPECT_TRUE(listing_with(name).has_value()) << name;
  }
}

TEST(NameNode, AFolderBelowItselfIsTheUsersMistake) {
  rpc::Failure failure(
      cluster_error("Rename destination /a/b is a directory or file under source"));
  failure.exception_class = "java.io.IOException";
  testing::FakeLoop loop;
  NameNode node(loop, std::make_unique<Canned>("", std::unexpected(failure)), {});
  Rename rename{.from = "/a", .to = "/a/b"};
  const Status renamed = testing::run_async(loop, node.rename(std::move(rename))).value();
  ASSERT_FALSE(renamed.has_value());
  EXPECT_EQ(renamed.error().blame, Blame::User);
}

}  // namespace
}  // namespace muster::hadoop::hdfs
