#include "testing/hadoop/fake_application_master.h"

#include "hadoop/yarn_master.pb.h"

#include <gtest/gtest.h>

namespace muster::testing {

namespace pb = ::hadoop::yarn;

void FakeApplicationMaster::begin(const std::string& host, int32_t port) {
  pb::RegisterApplicationMasterRequest presence;
  presence.set_host(host);
  presence.set_rpc_port(port);
  call("registerApplicationMaster", presence.SerializeAsString());
}

void FakeApplicationMaster::end(hadoop::yarn::FinalStatus status) {
  pb::FinishApplicationMasterRequest farewell;
  farewell.set_final_application_status(static_cast<pb::FinalApplicationStatus>(status));
  // Masters repeat their farewell until YARN has recorded it.
  for (int i = 0; i < 2; ++i) {
    call("finishApplicationMaster", farewell.SerializeAsString());
  }
}

void FakeApplicationMaster::call(std::string_view method, const std::string& request) {
  const Served served = manager_.master_side().serve(
      method, request,
      {.user = {}, .token_identifier = manager_.master_token(id_.attempt.application).identifier});
  EXPECT_EQ(served.exception_class, "") << method << ": " << served.message;
}

std::string localized_path(const FakeNodeManager::LaunchContext& context, std::string_view link) {
  for (const pb::StringLocalResourceMap& entry : context.local_resources()) {
    if (entry.key() == link) {
      return entry.value().resource().file();
    }
  }
  return "";
}

}  // namespace muster::testing
