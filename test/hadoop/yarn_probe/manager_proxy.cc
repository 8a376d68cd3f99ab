#include "manager_proxy.h"

#include "hadoop/yarn_client.pb.h"

namespace muster::probe {

rt::Async<rpc::Outcome> ManagerProxy::call(rpc::Method method,
                                           const google::protobuf::MessageLite& request,
                                           google::protobuf::MessageLite& reply,
                                           rpc::CallOptions options) {
  if (!unmanaged_ || method.name != "submitApplication") {
    auto outcome = co_await line_->call(method, request, reply, options);
    co_return outcome;
  }
  ::hadoop::yarn::SubmitApplicationRequest submission;
  submission.CheckTypeAndMergeFrom(request);
  submission.mutable_application_submission_context()->set_unmanaged_am(true);
  auto outcome = co_await line_->call(method, submission, reply, options);
  co_return outcome;
}

}  // namespace muster::probe
