#include "hadoop/rpc/client.h"

#include "hadoop/rpc/service.h"

#include <span>
#include <utility>

namespace muster::hadoop::rpc {

struct Client::Shared {
  ClientCore core;
};

Client::Client(ClientDeps deps, ClientOptions options)
    : shared_(
          std::make_unique<Shared>(Shared{.core = {.deps = deps, .options = std::move(options)}})) {
  std::string& id = shared_->core.id;
  id.resize(16);
  deps.random.fill({reinterpret_cast<uint8_t*>(id.data()), id.size()});
}

Client::~Client() = default;

std::unique_ptr<Proxy> Client::proxy(Target target) {
  const ClientOptions& options = shared_->core.options;
  return proxy(std::move(target), options.connection, options.retry);
}

std::unique_ptr<Proxy> Client::proxy(Target target, ConnectionOptions connection,
                                     RetryOptions retry) {
  return std::make_unique<Service>(shared_->core, std::move(target), connection, retry);
}

}  // namespace muster::hadoop::rpc
