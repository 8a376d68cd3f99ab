#include "cluster/yarn/waiting/fair_reasons.h"

#include "base/text.h"
#include "cluster/yarn/staging/room.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr std::string_view kOtherQueue = "choose another queue (yarn.queue)";

/// Returns the name in `The queue "NAME" has ...`.
std::string_view quoted_after(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  const size_t begin = at == std::string_view::npos ? at : text.find('"', at);
  const size_t end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
  return end == std::string_view::npos ? std::string_view()
                                       : text.substr(begin + 1, end - begin - 1);
}

void add_label(const WaitFacts& facts, std::vector<WaitReason>& to) {
  if (!facts.label.empty()) {
    to.push_back({.text = fmt::format("the cluster runs the Fair Scheduler, which has no node "
                                      "labels: {} can never be satisfied there",
                                      facts.label),
                  .advice = "leave node_label out"});
  }
}

void add_fair_master_limit(const WaitFacts& facts, std::vector<WaitReason>& to) {
  const std::string& words = facts.application.diagnostics;
  if (!words.contains("maximum AM resource allowed")) {
    return;
  }
  const size_t begin = words.find('<');
  const size_t end = words.find('>');
  const std::string asked =
      begin < end && end != std::string::npos ? words.substr(begin + 1, end - begin - 1) : "more";
  to.push_back({.text = fmt::format("queue {} allows its masters {} in total; {} is in use, and "
                                    "this job's master requests {}",
                                    facts.load->path, amount(facts.load->master_limit),
                                    amount(facts.load->master_used), asked),
                .advice = fmt::format("wait for a job there to end, {}, or ask the administrators "
                                      "for a larger maxAMShare",
                                      kOtherQueue)});
}

void add_runnable_limit(const WaitFacts& facts, std::vector<WaitReason>& to) {
  const std::string& words = facts.application.diagnostics;
  if (!words.contains("maximum limit of runnable applications")) {
    return;
  }
  const std::string_view name = quoted_after(words, "queue \"");
  if (name.empty()) {
    to.push_back({.text = "the cluster limits how many jobs a user may run at once, and that many "
                          "of yours are running",
                  .advice = "wait for one of them to end, or stop one"});
    return;
  }
  const auto limited = [&](const rm::QueueLoad& load) {
    return load.path == name && load.fair.has_value() && load.fair->applications_max.has_value();
  };
  const auto above = std::ranges::find_if(facts.above, limited);
  const rm::QueueLoad* const queue =
      limited(*facts.load) ? &*facts.load : (above == facts.above.end() ? nullptr : &*above);
  to.push_back({.text = queue == nullptr
                            ? fmt::format("queue {} already runs as many jobs as it may", name)
                            : fmt::format("queue {} already runs as many jobs as it may: {}", name,
                                          *queue->fair->applications_max),
                .advice = fmt::format("wait for one of its jobs to end, or {}", kOtherQueue)});
}

void add_room(const WaitFacts& facts, std::vector<WaitReason>& to) {
  const auto add = [&](const rm::QueueLoad& load) {
    const rm::Resource room = left_of(load.fair->most, load.resources_used);
    if (!holds(room, facts.largest_ask)) {
      to.push_back(
          {.text = fmt::format("queue {} may use {} in total and uses {}: a container of {} is "
                               "more than what is left",
                               load.path, amount(load.fair->most), amount(load.resources_used),
                               amount(facts.largest_ask)),
           .advice = fmt::format("wait for containers there to end, ask for less (memory, vcores, "
                                 "gpus, tasks), or {}",
                                 kOtherQueue)});
    }
  };
  add(*facts.load);
  for (const rm::QueueLoad& load : facts.above) {
    // The root's limit is the cluster itself, about which the nodes say more.
    if (load.fair.has_value() && load.path.contains(".")) {
      add(load);
    }
  }
}

void add_share(const WaitFacts& facts, std::vector<WaitReason>& to) {
  const rm::QueueLoad& load = *facts.load;
  if (load.pending_containers > 0 && load.fair->share.memory_mb > 0 &&
      load.resources_used.memory_mb >= load.fair->share.memory_mb) {
    to.push_back(
        {.text = fmt::format("queue {} uses its fair share of the cluster: {} MB of {} MB",
                             load.path, load.resources_used.memory_mb, load.fair->share.memory_mb),
         .advice =
             fmt::format("wait: what others release goes to queues below their share first; or {}",
                         kOtherQueue)});
  }
}

}  // namespace

void add_fair_reasons(const WaitFacts& facts, std::vector<WaitReason>& to) {
  if (!facts.load.has_value() || !facts.load->fair.has_value()) {
    return;
  }
  const size_t before = to.size();
  add_label(facts, to);
  add_fair_master_limit(facts, to);
  add_runnable_limit(facts, to);
  if (to.size() > before) {
    return;
  }
  add_room(facts, to);
  if (to.size() == before) {
    add_share(facts, to);
  }
}

}  // namespace muster::cluster::yarn
