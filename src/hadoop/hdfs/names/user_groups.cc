#include "hadoop/hdfs/names/user_groups.h"

#include "base/text.h"
#include "hadoop/hdfs/names/name_node_target.h"
#include "hadoop/rpc_settings.h"

#include <fmt/format.h>

#include <hadoop/user_groups.pb.h>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

namespace common_pb = ::hadoop::common;

constexpr std::string_view kProtocol = "org.apache.hadoop.tools.GetUserMappingsProtocol";

}  // namespace

Result<std::unique_ptr<UserGroups>> UserGroups::open(rpc::Client& client,
                                                     const Configuration& configuration,
                                                     const FileSystem::Login& login) {
  MUSTER_TRY(const HdfsSettings settings, hdfs_settings(configuration));
  MUSTER_TRY(const SecuritySettings security, security_settings(configuration));
  MUSTER_TRY(const RpcSettings values, rpc_settings(configuration));
  MUSTER_TRY(const NameService service, login.authority.empty()
                                            ? default_name_service(configuration)
                                            : name_service(configuration, login.authority));
  MUSTER_TRY(rpc::Target target,
             name_node_target(configuration, security, service, kProtocol, login));
  return std::unique_ptr<UserGroups>(new UserGroups(
      name_node_proxy(client, std::move(target), rpc::connection_options(values), settings)));
}

rt::Async<Result<std::vector<std::string>>> UserGroups::groups_of(std::string user) {
  common_pb::GetGroupsForUserRequestProto request;
  request.set_user(user);
  common_pb::GetGroupsForUserResponseProto reply;
  const rpc::Method method{"getGroupsForUser", rpc::Repetition::Idempotent};
  const rpc::Outcome outcome = co_await proxy_->call(method, request, reply);
  if (!outcome.has_value()) {
    co_return explain(outcome.error(), fmt::format("cannot get the groups of {}", printable(user)));
  }
  co_return std::vector<std::string>(reply.groups().begin(), reply.groups().end());
}

}  // namespace muster::hadoop::hdfs
