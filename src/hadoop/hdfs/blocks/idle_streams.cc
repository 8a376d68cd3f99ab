#include "hadoop/hdfs/blocks/idle_streams.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

/// A restarted DataNode may have the same id at another address.
bool same(const Datanode& left, const Datanode& right) {
  return left.uuid == right.uuid && left.ip == right.ip && left.data_port == right.data_port;
}

}  // namespace

void IdleStreams::keep(const Datanode& node, std::unique_ptr<DataStream> stream) {
  if (options_.streams_max == 0 || !stream->rest()) {
    return;
  }
  if (kept_.size() >= options_.streams_max) {
    kept_.pop_front();
  }
  kept_.push_back({.node = node, .stream = std::move(stream), .since = loop_->now()});
  if (timer_ == rt::TimerId()) {
    timer_ = loop_->call_after(options_.idle_max, [this] { close_old(); });
  }
}

std::unique_ptr<DataStream> IdleStreams::take(const Datanode& node) {
  auto newest_first = std::views::reverse(kept_);
  const auto found =
      std::ranges::find_if(newest_first, [&](const Kept& kept) { return same(kept.node, node); });
  if (found == newest_first.end()) {
    return nullptr;
  }
  std::unique_ptr<DataStream> stream = std::move(found->stream);
  kept_.erase(std::next(found).base());
  return stream;
}

void IdleStreams::drop(const Datanode& node) {
  kept_.remove_if([&](const Kept& kept) { return same(kept.node, node); });
}

void IdleStreams::close_old() {
  timer_ = {};
  const HostTime begun = loop_->now() - options_.idle_max;
  kept_.remove_if([&](const Kept& kept) { return kept.since <= begun; });
  if (!kept_.empty()) {
    timer_ = loop_->call_at(kept_.front().since + options_.idle_max, [this] { close_old(); });
  }
}

}  // namespace muster::hadoop::hdfs
