#pragma once

#include "net/http.h"
#include "page/job_view.h"
#include "page/target.h"
#include "rt/loop.h"
#include "rt/wait.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::page {

/// The page's answers about output.
///
///     /api/output?s=...     lines of up to 64 streams; waits while none has any that are new
///     /api/find?s=...       &word=...: where one of the words stands
///     /logs/ROLE/INDEX      ?attempt= &stream=: the last part as plain text
///
/// `s` is TASK/ATTEMPT/STREAM, "worker:0/2/stderr", and then nothing, for the last part; /FROM, for
/// what begins there with a line; /-BEFORE, for what stands before; or /FROM/SEEN: the same as FROM
/// once there is more than SEEN bytes, or after 20 s. Lives on the loop's thread.
class LogRoutes {
 public:
  /// All must outlive it.
  LogRoutes(rt::Loop& loop, const JobView& job, LogSource& logs)
      : loop_(loop), job_(job), logs_(logs), grown_(loop), searched_(loop) {}
  LogRoutes(const LogRoutes&) = delete;
  LogRoutes& operator=(const LogRoutes&) = delete;

  /// There may be more of a log, or an attempt has ended.
  void grown();
  [[nodiscard]] rt::Async<net::HttpResponse> output(Target target);
  [[nodiscard]] rt::Async<net::HttpResponse> find(Target target);
  [[nodiscard]] rt::Async<net::HttpResponse> text(Target target);

 private:
  struct Asked {
    LogName log;
    LogWanted wanted;
    std::optional<uint64_t> seen;
  };
  struct Answer {
    std::string json;
    bool news = false;
    bool waits = false;  ///< There may be more later.
  };
  /// While one is alive, no other search looks through a piece.
  class Turn;

  [[nodiscard]] std::optional<LogName> known(LogName log, std::optional<uint64_t> attempt) const;
  [[nodiscard]] std::optional<Asked> parse(std::string_view text) const;
  [[nodiscard]] std::optional<std::vector<Asked>> parse_all(const Target& target) const;
  [[nodiscard]] rt::Async<Result<Answer>> look(Asked asked);
  [[nodiscard]] rt::Async<Result<LogPiece>> look_for(LogName log, LogWanted wanted,
                                                     const std::vector<std::string>* words,
                                                     std::optional<uint64_t>* at);

  rt::Loop& loop_;
  const JobView& job_;
  LogSource& logs_;
  uint64_t growths_ = 0;
  rt::Event grown_;
  bool searching_ = false;
  rt::Event searched_;  ///< searching_ has become false.
};

}  // namespace muster::page
