#pragma once

#include "hadoop/rpc/proxy.h"

#include <memory>
#include <utility>

namespace muster::probe {

namespace rpc = hadoop::rpc;

/// The line to the resource manager. Can declare that the master of what is submitted runs outside
/// the cluster: then a test is that master, which never happens with Muster itself.
class ManagerProxy final : public rpc::Proxy {
 public:
  explicit ManagerProxy(std::unique_ptr<rpc::Proxy> line) : line_(std::move(line)) {}

  void set_unmanaged(bool unmanaged) { unmanaged_ = unmanaged; }

  [[nodiscard]] rt::Async<rpc::Outcome> call(rpc::Method method,
                                             const google::protobuf::MessageLite& request,
                                             google::protobuf::MessageLite& reply,
                                             rpc::CallOptions options) override;

 private:
  std::unique_ptr<rpc::Proxy> line_;
  bool unmanaged_ = false;
};

}  // namespace muster::probe
