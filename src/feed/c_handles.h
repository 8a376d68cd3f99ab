#pragma once

#include "feed/block.h"
#include "feed/c_api.h"
#include "feed/inbox.h"
#include "feed/ring.h"

#include <memory>
#include <span>

/// The handles of the C interface.
// NOLINTBEGIN(readability-identifier-naming): the names are c_api.h's.
struct mf_inbox {
  std::unique_ptr<muster::feed::Inbox> inbox;
};

struct mf_lease {
  std::shared_ptr<const muster::feed::Lease> lease;
  muster::feed::BlockView view;
};

struct mf_producer {
  muster::feed::Producer producer;
};

/// For the other file of the interface: publishes a plan.
mf_status mf_producer_put_plan(mf_producer* producer, const muster::feed::BlockPlan* plan,
                               int64_t timeout_ms);
/// The same for blocks that are filled in place (feed::Producer).
mf_status mf_producer_reserve_block(mf_producer* producer, int64_t timeout_ms,
                                    std::span<std::byte>* block);
mf_status mf_producer_publish_block(mf_producer* producer, size_t bytes, uint64_t rows,
                                    int64_t timeout_ms);
/// Sets what mf_error() says.
void mf_set_error(const muster::Error& error);
// NOLINTEND(readability-identifier-naming)
