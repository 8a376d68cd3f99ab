#pragma once

#include "inside/elastic_world.h"
#include "inside/horovod_notice.h"
#include "inside/job_server.h"
#include "inside/kv_answers.h"
#include "inside/newcomer_notices.h"
#include "net/http.h"
#include "net/stream.h"
#include "os/file/watch.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/wait.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::inside {

/// What Horovod's elastic ranks ask their driver, over HTTP: the key-value store in which they
/// meet, emptied for each round of an ElasticWorld; `GET /rank_and_size/NAME:0`, their place in the
/// next round, answered once that is formed; `PUT /worker_addresses/NAME:0`, where rank 0 is told
/// that somebody new waits. NAME is ROLE-INDEX.
///
/// Each attempt holds a connection, an upgraded `GET /member/INDEX.ATTEMPT`, on which it is told
/// its first place ("RANK SIZE\n"); when it ends, the attempt has.
///
/// Lives on its loop's thread.
class ElasticRendezvous {
 public:
  struct Options {
    std::string role;  ///< Whose tasks are the members.
    size_t members_min = 1;
    std::filesystem::path view_file;  ///< MUSTER_VIEW_FILE, which is written anew as tasks come.
    /// How long tasks in the view may take to arrive.
    Duration late = std::chrono::seconds(60);
  };
  /// Called for each round, with its members by rank.
  using OnRound = std::function<void(uint64_t round, const std::vector<ElasticWorld::Index>&)>;

  ElasticRendezvous(rt::IoLoop& loop, rt::Fd listening, Options options, OnRound on_round,
                    JobServer::Refused refused);
  ~ElasticRendezvous();
  ElasticRendezvous(const ElasticRendezvous&) = delete;
  ElasticRendezvous& operator=(const ElasticRendezvous&) = delete;

 private:
  using Index = ElasticWorld::Index;

  [[nodiscard]] rt::Async<net::HttpResponse> answer(net::HttpRequest request);
  [[nodiscard]] std::optional<std::string_view> answer_at_once(net::HttpRequest& request);
  [[nodiscard]] rt::Async<net::HttpResponse> next_place(Index index);
  [[nodiscard]] net::HttpResponse register_desk(Index index, std::string_view text);
  [[nodiscard]] net::HttpResponse take_member(Index index, uint64_t attempt);
  /// The connection of one attempt, until it ends.
  [[nodiscard]] rt::Async<> attend(net::Stream* stream, Index index, uint64_t attempt);
  [[nodiscard]] rt::Async<Status> tell_first_place(net::Stream* stream, Index index);
  [[nodiscard]] rt::Async<> until_round_after(uint64_t round);
  [[nodiscard]] std::optional<Index> index_of(std::string_view name_and_rank) const;

  void watch_view();
  void read_view();
  /// A task has arrived or the view has changed: the time for late ones starts again.
  void begin_to_wait();
  void settle();
  void notify_if_due();

  rt::IoLoop& loop_;
  Options options_;
  OnRound on_round_;
  ElasticWorld world_;
  KvAnswers store_;
  std::map<Index, std::string> view_;
  std::unique_ptr<os::FileWatch> view_watch_;
  std::map<Index, NoticeDesk> desks_;
  bool without_late_ = false;  ///< Those who are late have had their time.
  rt::TimerId late_timer_{};
  rt::Event formed_;  ///< A round was.
  NewcomerNotices notices_;
  JobServer server_;  ///< Last: it uses all of the above.
};

}  // namespace muster::inside
