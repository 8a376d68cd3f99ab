#pragma once

#include "base/result.h"
#include "base/time.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::hdfs {

/// What a secured data transfer does to every byte after the handshake.
class StreamCipher {
 public:
  virtual ~StreamCipher() = default;
  /// Appends the plain bytes of as much of `wire` as is complete to `plain`; returns how many bytes
  /// of `wire` it used. Corrupt if they do not decrypt.
  virtual Result<size_t> open(std::string_view wire, std::string& plain) = 0;
  /// Appends the bytes to send for `plain` to `wire`.
  virtual Status seal(std::string_view plain, std::string& wire) = 0;
};

/// A connection to a DataNode: buffered reads that give views instead of copies, writes of several
/// pieces, deadlines for each step. One coroutine may read and another write at the same time.
class DataStream {
 public:
  /// `patience`: how long one read or one write may wait before the peer counts as dead.
  DataStream(rt::Loop& loop, std::unique_ptr<net::Stream> stream, Duration patience);

  /// Returns the next `count` bytes; the view is valid until the next read. Unavailable if the
  /// stream ends before that, DeadlineExceeded if the peer is silent for too long.
  [[nodiscard]] rt::Async<Result<std::string_view>> take(size_t count);
  /// Returns the next message, which is preceded by its length as a varint; Corrupt if that is more
  /// than `limit` bytes.
  [[nodiscard]] rt::Async<Result<std::string_view>> take_delimited(size_t limit);

  /// Sends all pieces, in order; they must stay valid until it returns.
  [[nodiscard]] rt::Async<Status> send(std::vector<std::string_view> pieces);

  /// From now on every byte goes through `cipher`. Nothing read before may be left over.
  void secure(std::unique_ptr<StreamCipher> cipher) { cipher_ = std::move(cipher); }

  /// Sets what may be wrong if the peer closes the connection before it has sent a byte, as a part
  /// of that error's message. A literal.
  void set_doubt(std::string_view doubt) { doubt_ = doubt; }

  /// Who is at the other end, for messages: "10.0.0.7:9866".
  [[nodiscard]] const std::string& peer() const { return stream_->peer(); }
  /// Gives back all memory before a pause between operations. Returns false if unexpected bytes
  /// have arrived: the stream is then unusable.
  [[nodiscard]] bool rest();
  /// Nothing more is sent: a waiting send() fails.
  void interrupt() { stream_->close_write(); }
  void set_patience(Duration patience) { patience_ = patience; }

 private:
  [[nodiscard]] rt::Async<Status> fill(size_t wanted);
  [[nodiscard]] rt::Async<Result<size_t>> read_some();
  [[nodiscard]] rt::Async<Status> send_parts(std::vector<std::span<const uint8_t>> parts);
  void make_room(size_t wanted);

  rt::Loop* loop_;
  std::unique_ptr<net::Stream> stream_;
  Duration patience_;
  std::unique_ptr<StreamCipher> cipher_;
  std::string_view doubt_;       ///< Empty once something was read.
  std::vector<uint8_t> buffer_;  ///< Read bytes are in [begin_, end_).
  size_t begin_ = 0;
  size_t end_ = 0;
  std::string sealed_;  ///< With a cipher: read, not yet opened.
  std::string opened_;
};

}  // namespace muster::hadoop::hdfs
