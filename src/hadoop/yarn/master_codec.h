#pragma once

#include "base/result.h"
#include "hadoop/yarn/allocate_answer.h"
#include "hadoop/yarn/registration.h"

namespace hadoop::yarn {
class AllocateRequest;
class AllocateResponse;
class FinishApplicationMasterRequest;
class RegisterApplicationMasterRequest;
class RegisterApplicationMasterResponse;
}  // namespace hadoop::yarn

/// What an application master and the resource manager say to each other ⇄ protobuf.
namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

void encode(const MasterPresence& from, pb::RegisterApplicationMasterRequest* to);
void encode(const Registration& from, pb::RegisterApplicationMasterResponse* to);
void encode(const AllocateAsk& from, pb::AllocateRequest* to);
void encode(const AllocateAnswer& from, pb::AllocateResponse* to);
void encode(const Farewell& from, pb::FinishApplicationMasterRequest* to);

[[nodiscard]] MasterPresence decode(const pb::RegisterApplicationMasterRequest& from);
[[nodiscard]] Registration decode(const pb::RegisterApplicationMasterResponse& from);
[[nodiscard]] AllocateAsk decode(const pb::AllocateRequest& from);
[[nodiscard]] Farewell decode(const pb::FinishApplicationMasterRequest& from);
/// Corrupt when a container comes without the ids that everything hangs on.
[[nodiscard]] Result<AllocateAnswer> decode(const pb::AllocateResponse& from);

}  // namespace muster::hadoop::yarn
