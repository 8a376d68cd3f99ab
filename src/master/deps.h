#pragma once

#include "base/log.h"
#include "base/result.h"
#include "cluster/host_memory.h"
#include "cluster/link.h"
#include "cluster/place_store.h"
#include "cluster/sample_store.h"
#include "control/keys.h"
#include "control/transport.h"
#include "eventlog/replay.h"
#include "eventlog/segment_store.h"
#include "master/clients/audience.h"
#include "master/clients/task_dialer.h"
#include "rt/loop.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace muster::master {

class NoticeSender;
class Tracker;

/// What a master works with. All must outlive it.
struct MasterDeps {
  rt::Loop& loop;
  control::Transport& transport;
  cluster::Link& link;
  eventlog::SegmentStore& segments;
  cluster::PlaceStore& place;
  log::Sink& sink;
  Audience* audience = nullptr;             ///< None if the job has no page.
  TaskDialer* tasks = nullptr;              ///< Likewise; the page reaches tasks through it.
  cluster::SampleStore* samples = nullptr;  ///< None if samples are not kept.
  cluster::HostMemory* hosts = nullptr;     ///< None if hosts are not remembered.
  NoticeSender* notices = nullptr;          ///< None if nobody is notified.
  Tracker* tracker = nullptr;               ///< The same.
};

struct MasterOptions {
  job::JobId job;
  uint64_t seed = 0;
  std::string plan_json;  ///< The resolved Spec (spec::to_json), for a job without a log.
  eventlog::PlanOf plan_of;
  control::Secret secret{};
  std::map<std::string, std::string> secrets;  ///< Values of secret env entries, for agents only.
  control::ListenOptions listen;
  std::string on = "local";    ///< The cluster's name, for status.
  std::string application_id;  ///< "" for none.
  std::string logs_folder;     ///< Where tasks' output files lie, for people.
  std::string page;            ///< The link to the job's page, for status; "" where clients add it.
  std::string client_python;   ///< PlanFile::python: the submitter's own, for hints.
  std::string version;         ///< Of the binary.
  int32_t pid = 0;
  /// Whoever starts the job follows it at once: what tasks write meanwhile is kept for them, and a
  /// job that ends before that waits a moment.
  bool followed = false;
};

/// How a master's life ended.
struct MasterEnd {
  enum class Kind : uint8_t {
    JobEnded,  ///< `outcome` is set; everything is written and released.
    Fenced,    ///< A newer master is in charge; this one stopped silently.
  };
  Kind kind = Kind::JobEnded;
  std::optional<job::Outcome> outcome;
};

}  // namespace muster::master
