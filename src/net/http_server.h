#pragma once

#include "base/result.h"
#include "base/time.h"
#include "net/http.h"
#include "net/http_codec.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/running.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace muster::net {

/// How many resources clients get.
struct HttpServerLimits {
  size_t connections_max = 128;
  size_t upgraded_max = 64;    ///< How many of these may have left HTTP.
  size_t requests_max = 1000;  ///< Per connection; then it closes, and the client reconnects.
  Duration request_patience =
      std::chrono::seconds(10);              ///< From a request's first byte to its last.
  Duration idle = std::chrono::seconds(60);  ///< Between two requests.
  /// For the handler, and for each piece of its answer.
  Duration answer_patience = std::chrono::minutes(6);
  Duration reader_patience = std::chrono::seconds(60);  ///< For writing.
  size_t body_max = kHttpBodyMax;                       ///< Of a request.
  Duration unread_max = std::chrono::seconds(1);  ///< Of a piece, before it may have to make room.
  Duration held_max = std::chrono::seconds(2);    ///< The same of an answer that does not come.
};

/// The server side of HTTP/1.1 on streams accepted elsewhere: the requests of one connection are
/// handled one after the other, each answered by the handler. Malformed or oversized requests get
/// 400 and the connection is closed; slow connections are closed. After each request the loop runs
/// other work, however many requests are waiting on one connection. When all places are taken, the
/// connection that has been idle longest makes room; if all are being answered, the one that has
/// left its answer unread for longest, at least for a second; if all are reading, the one whose
/// answer has been outstanding for longest, at least for two seconds, as with clients that wait for
/// news; otherwise the newcomer is closed. Upgraded connections make room only for each other, the
/// oldest first.
///
/// Lives on its loop's thread; destroying it ends all connections. A handler must not destroy it.
class HttpServer {
 public:
  /// Answers one request of `peer` ("10.0.0.7:8020"). May take its time, and may be destroyed
  /// meanwhile.
  using Handler = std::function<rt::Async<HttpResponse>(HttpRequest request, std::string peer)>;

  /// Returns how long a body may be, given the head before the body has arrived.
  using BodyMax = std::function<size_t(const HttpRequest& head, const std::string& peer)>;

  /// Without `body_max`, bodies may be as long as the limits say; with it, that limit is not used.
  HttpServer(rt::Loop& loop, Handler handler, HttpServerLimits limits = {},
             BodyMax body_max = nullptr)
      : loop_(&loop),
        handler_(std::move(handler)),
        limits_(limits),
        body_max_(std::move(body_max)) {}
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Returns whether one more connection would be accepted now. Closes another one to make room if
  /// necessary.
  [[nodiscard]] bool make_room();
  /// Serves a connection. Must not be called by a handler.
  void serve(std::unique_ptr<Stream> stream);
  [[nodiscard]] size_t connections() const { return connections_.size(); }
  /// Requests that are being answered.
  [[nodiscard]] size_t answering() const { return answering_; }
  /// `idle` is called, from the event loop, whenever the last answer under way is out.
  void on_idle(std::function<void()> idle) { on_idle_ = std::move(idle); }

 private:
  enum class Phase : uint8_t {
    Waiting,   ///< For a request.
    Handling,  ///< The handler is working on an answer.
    Sending,   ///< A part of the answer is on its way.
    Upgraded,  ///< It speaks another protocol, for as long as that takes.
  };
  struct Connection {
    Phase phase = Phase::Waiting;
    HostTime since{};  ///< When that state began.
    rt::Running running;
  };
  using Connections = std::map<uint64_t, Connection>;
  struct Asked {
    std::optional<HttpRequest> request;  ///< Nothing: the client closed.
  };
  struct Answered {
    bool keep = false;      ///< The client may send more requests.
    HttpUpgraded upgraded;  ///< Takes the connection over, if set.
  };

  void make_room_upgraded();
  [[nodiscard]] Connections::iterator longest_in(Phase phase, HostTime before);
  [[nodiscard]] rt::Async<> converse(uint64_t id, std::unique_ptr<Stream> stream);
  [[nodiscard]] rt::Async<Result<Asked>> read_request(Stream* stream, HttpRequestReader* reader,
                                                      Duration first_byte_within);
  [[nodiscard]] rt::Async<> refuse(Stream* stream, std::string why);
  [[nodiscard]] rt::Async<Result<Answered>> answer(uint64_t id, Stream* stream, HttpRequest request,
                                                   bool keep);
  [[nodiscard]] rt::Async<Status> send_pieces(uint64_t id, Stream* stream, HttpBody* pieces,
                                              bool in_chunks, Duration patience);
  /// Sends a part of a connection's answer.
  [[nodiscard]] rt::Async<Status> send_part(uint64_t id, Stream* stream, std::string text);
  [[nodiscard]] rt::Async<Status> send(Stream* stream, std::string text);
  void enter(uint64_t id, Phase phase);
  void begin_answer(uint64_t id);
  void end_answer();
  [[nodiscard]] rt::Async<bool> none_answering();

  rt::Loop* loop_;
  Handler handler_;
  HttpServerLimits limits_;
  BodyMax body_max_;
  std::function<void()> on_idle_;
  size_t answering_ = 0;
  uint64_t last_ = 0;
  rt::Running idle_;         ///< Is about to call `on_idle_`.
  Connections connections_;  ///< Last: they use the rest.
};

}  // namespace muster::net
