#include "cluster/yarn/waiting/wait_reasons.h"

#include "base/text.h"
#include "cluster/yarn/link/container_end.h"
#include "cluster/yarn/staging/room.h"
#include "cluster/yarn/waiting/fair_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

rm::Resource free_of(const rm::NodeReport& node) { return left_of(node.capacity, node.used); }

/// Returns the value in "NAME = <memory:1024, vCores:1>" of a diagnostic, without the brackets.
std::string detail(std::string_view diagnostics, std::string_view name) {
  const size_t at = diagnostics.find(name);
  const size_t begin = at == std::string_view::npos ? at : diagnostics.find('<', at);
  const size_t end = begin == std::string_view::npos ? begin : diagnostics.find('>', begin);
  return end == std::string_view::npos
             ? "an unknown amount"
             : std::string(diagnostics.substr(begin + 1, end - begin - 1));
}

/// A message of the scheduler, and what helps.
struct Known {
  std::string_view sign;
  std::string_view advice;
};
constexpr std::string_view kLoosen =
    "wait for containers there to end, loosen the role's `constraint`, or ask for fewer tasks";
constexpr std::array kKnown = {
    Known{"max-capacity limit",
          "the queue is full: wait for its other jobs, or choose another one (yarn.queue)"},
    Known{"maximum limit",
          "your share of the queue is used up: stop another job of yours there, or choose another "
          "queue (yarn.queue)"},
    Known{"user-limit",
          "your share of the queue is used up: stop another job of yours there, or choose another "
          "queue (yarn.queue)"},
    Known{"headroom",
          "the queue has no room for it now: wait, ask for less (memory, vcores, gpus, tasks), or "
          "choose another queue (yarn.queue)"},
    Known{"sufficient resource",
          "wait for containers there to end, or ask for less for each task (memory, vcores, gpus, "
          "tasks_per_container)"},
    Known{"unsatisfied PC", kLoosen},
    Known{"could not place on node", kLoosen},
    Known{"could not schedule on node",
          "wait for containers to end, or ask for less for each task (memory, vcores, gpus)"},
    Known{"partition", "choose a node label that free nodes have (node_label)"},
    Known{"black", "hosts on which tasks failed are avoided for a while"},
};

void add_master_limit(const WaitFacts& facts, std::vector<WaitReason>& to) {
  const std::string& words = facts.application.diagnostics;
  const bool users = words.contains("User's AM resource limit exceeded");
  if (!users && !words.contains("AM resource limit exceeded")) {
    return;
  }
  const std::string limit =
      detail(words, users ? "User AM Resource Limit" : "Queue Resource Limit for AM");
  to.push_back({.text = fmt::format("queue {} allows {} masters {} in total; {} is in use, and "
                                    "this job's master requests {}",
                                    facts.application.queue, users ? "your" : "its", limit,
                                    detail(words, "Queue AM Resource Usage"),
                                    detail(words, "AM Resource Request")),
                .advice =
                    "wait for a job there to end, choose another queue (yarn.queue), or ask the "
                    "administrators for a larger maximum-am-resource-percent"});
}

/// The Fair Scheduler has no labels.
bool has_labels(const WaitFacts& facts) {
  return !facts.load.has_value() || !facts.load->fair.has_value();
}

void add_queue(const WaitFacts& facts, std::vector<WaitReason>& to) {
  if (!facts.queue.has_value()) {
    return;
  }
  const rm::QueueInfo& queue = *facts.queue;
  if (queue.state == rm::QueueState::Stopped || queue.state == rm::QueueState::Draining) {
    to.push_back({.text = fmt::format("queue {} is {}", queue.name, to_string(queue.state)),
                  .advice = "choose a queue that is running (yarn.queue)"});
  }
  const bool labels_any = std::ranges::find(queue.labels, "*") != queue.labels.end();
  if (has_labels(facts) && !facts.label.empty() && !labels_any &&
      std::ranges::find(queue.labels, facts.label) == queue.labels.end()) {
    to.push_back({.text = fmt::format("queue {} may not use nodes with the label {}", queue.name,
                                      facts.label),
                  .advice = "choose another queue (yarn.queue) or another label (node_label)"});
  }
  if (facts.load.has_value() &&
      facts.load->used >= 99.9 * facts.load->max / std::max(facts.load->capacity, 0.01) &&
      facts.load->max > 0 && facts.load->capacity > 0) {
    to.push_back(
        {.text = fmt::format("queue {} already uses all that it may: {:.0f} % of the cluster",
                             facts.load->path, facts.load->absolute_used),
         .advice = std::string(advice_for("max-capacity limit"))});
  }
}

bool has_label(const rm::NodeReport& node, const std::string& label) {
  return label.empty() || std::ranges::find(node.labels, label) != node.labels.end();
}

/// `usable`: running nodes with the label.
void add_room(const WaitFacts& facts, const std::vector<const rm::NodeReport*>& usable,
              std::vector<WaitReason>& to) {
  const rm::NodeReport* freest = nullptr;
  size_t ever = 0;
  size_t now = 0;
  for (const rm::NodeReport* node : usable) {
    ever += holds(node->capacity, facts.largest_ask) ? 1 : 0;
    now += holds(free_of(*node), facts.largest_ask) ? 1 : 0;
    if (freest == nullptr || free_of(*node).memory_mb > free_of(*freest).memory_mb) {
      freest = node;
    }
  }
  if (ever == 0) {
    to.push_back({.text = fmt::format("none of the {} nodes is large enough for a container of {}",
                                      usable.size(), amount(facts.largest_ask)),
                  .advice = "ask for less for each task (memory, vcores, gpus, "
                            "tasks_per_container)"});
  } else if (now == 0) {
    to.push_back({.text = fmt::format("none of the {} nodes has room for a container of {} now; "
                                      "the one with the most room, {}, has {}",
                                      usable.size(), amount(facts.largest_ask),
                                      to_string(freest->id), amount(free_of(*freest))),
                  .advice = std::string(advice_for("sufficient resource"))});
  }
}

void add_nodes(const WaitFacts& facts, std::vector<WaitReason>& to) {
  if (facts.nodes.empty()) {
    return;
  }
  const std::string label = has_labels(facts) ? facts.label : std::string();
  std::vector<const rm::NodeReport*> usable;
  std::string away;
  for (const rm::NodeReport& node : facts.nodes) {
    if (node.state == rm::NodeState::Running && has_label(node, label)) {
      usable.push_back(&node);
    } else if (node.state == rm::NodeState::Unhealthy || node.state == rm::NodeState::Lost) {
      away +=
          fmt::format("{}{} is {}{}{}", away.empty() ? "" : "; ", to_string(node.id),
                      to_string(node.state), node.health.empty() ? "" : ": ", trim(node.health));
    }
  }
  if (usable.empty()) {
    to.push_back({.text = label.empty() ? std::string("no node of the cluster is running")
                                        : fmt::format("no running node has the label {}", label),
                  .advice = label.empty() ? "ask the cluster's administrators"
                                          : "choose another label (node_label)"});
  } else {
    add_room(facts, usable, to);
  }
  if (!away.empty()) {
    to.push_back({.text = away, .advice = "ask the cluster's administrators"});
  }
}

void add_activities(const WaitFacts& facts, std::vector<WaitReason>& to) {
  for (const rm::Activity& activity : facts.activities) {
    // The last text appears for requests that have what they want.
    if (activity.diagnostic.empty() || activity.state == "ALLOCATED" ||
        activity.diagnostic.contains("does not need more resource")) {
      continue;
    }
    const std::string nodes =
        activity.nodes.empty()
            ? std::string()
            : fmt::format(" ({} {})", activity.count, activity.count == 1 ? "node" : "nodes");
    to.push_back({.text = fmt::format("the scheduler: {}{}", trim(activity.diagnostic), nodes),
                  .advice = std::string(advice_for(activity.diagnostic))});
  }
}

}  // namespace

std::string_view advice_for(std::string_view words) {
  const auto* const found =
      std::ranges::find_if(kKnown, [&](const Known& known) { return words.contains(known.sign); });
  return found == kKnown.end() ? std::string_view() : found->advice;
}

std::string short_wait(std::string_view diagnostics) {
  std::string_view words = trim(diagnostics);
  if (words.starts_with('[')) {
    const size_t end = words.find("] ");
    words = end == std::string_view::npos ? words : trim(words.substr(end + 2));
  }
  if (words.contains("AM resource limit exceeded")) {
    const bool users = words.contains("User's AM resource limit exceeded");
    return fmt::format(
        "{} master limit there is used up ({} of {}); see `muster why`", users ? "your" : "the",
        detail(words, "Queue AM Resource Usage"),
        detail(words, users ? "User AM Resource Limit" : "Queue Resource Limit for AM"));
  }
  const size_t details = words.find("Details :");
  return words_of_end(words.substr(0, details));
}

std::vector<WaitReason> explain_wait(const WaitFacts& facts) {
  std::vector<WaitReason> reasons;
  add_master_limit(facts, reasons);
  add_queue(facts, reasons);
  add_fair_reasons(facts, reasons);
  add_nodes(facts, reasons);
  add_activities(facts, reasons);
  if (reasons.empty() && facts.application.state == rm::ApplicationState::Accepted) {
    reasons.push_back({.text = fmt::format("queue {}: {}", facts.application.queue,
                                           short_wait(facts.application.diagnostics)),
                       .advice = "wait, or choose another queue (yarn.queue)"});
  }
  return reasons;
}

}  // namespace muster::cluster::yarn
