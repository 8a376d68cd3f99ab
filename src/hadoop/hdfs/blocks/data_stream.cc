#include "hadoop/hdfs/blocks/data_stream.h"

#include "hadoop/hdfs/blocks/varint.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace muster::hadoop::hdfs {
namespace {

/// Answers and acknowledgements are small.
constexpr size_t kSmallBufferBytes = 4U << 10;
/// Two packets of the usual size fit with their checksums, so most are read in one call.
constexpr size_t kBufferBytes = 192U << 10;

std::span<const uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

DataStream::DataStream(rt::Loop& loop, std::unique_ptr<net::Stream> stream, Duration patience)
    : loop_(&loop), stream_(std::move(stream)), patience_(patience) {}

void DataStream::make_room(size_t wanted) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  }
  const size_t usual = wanted > kSmallBufferBytes ? kBufferBytes : kSmallBufferBytes;
  const size_t needed = std::max(wanted, usual);
  if (buffer_.size() - begin_ >= wanted && buffer_.size() > end_) {
    return;
  }
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < needed) {
    buffer_.resize(needed);
  }
}

bool DataStream::rest() {
  const bool all_read = begin_ == end_ && sealed_.empty() && opened_.empty();
  begin_ = end_ = 0;
  std::vector<uint8_t>().swap(buffer_);
  std::string().swap(sealed_);
  std::string().swap(opened_);
  return all_read;
}

rt::Async<Result<size_t>> DataStream::read_some() {
  const std::span<uint8_t> room = std::span(buffer_).subspan(end_);
  if (cipher_ == nullptr) {
    co_return co_await stream_->read_some(room);
  }
  while (opened_.empty()) {
    MUSTER_CO_TRY(const size_t size, co_await stream_->read_some(room));
    if (size == 0) {
      co_return size;
    }
    sealed_.append(reinterpret_cast<const char*>(room.data()), size);
    MUSTER_CO_TRY(const size_t used, cipher_->open(sealed_, opened_));
    sealed_.erase(0, used);
  }
  const size_t count = std::min(room.size(), opened_.size());
  std::memcpy(room.data(), opened_.data(), count);
  opened_.erase(0, count);
  co_return count;
}

rt::Async<Status> DataStream::fill(size_t wanted) {
  make_room(wanted);
  Result<size_t> size = co_await rt::with_deadline(
      *loop_, loop_->now() + patience_, fmt::format("data from DataNode {}", peer()), read_some());
  if (size && *size == 0) {
    size = cluster_error(fmt::format("DataNode {} closed the connection", peer()));
  }
  if (!size) {
    Error error = std::move(size).error();
    if (!doubt_.empty() && error.code == Errc::Unavailable) {
      error.message.append("; ").append(doubt_);
    }
    co_return error;
  }
  doubt_ = {};
  end_ += *size;
  co_return Status();
}

rt::Async<Result<std::string_view>> DataStream::take(size_t count) {
  while (end_ - begin_ < count) {
    MUSTER_CO_TRY_STATUS(co_await fill(count));
  }
  const std::string_view view(reinterpret_cast<const char*>(buffer_.data()) + begin_, count);
  begin_ += count;
  co_return view;
}

rt::Async<Result<std::string_view>> DataStream::take_delimited(size_t limit) {
  while (true) {
    const std::string_view read(reinterpret_cast<const char*>(buffer_.data()) + begin_,
                                end_ - begin_);
    std::string_view rest = read;
    if (const auto length = take_varint(rest)) {
      if (*length > limit) {
        co_return cluster_error(
            fmt::format("DataNode {} sent a message of {} bytes, at most {} are expected; is it a "
                        "DataNode, and is its data transfer secured as the configuration says?",
                        peer(), *length, limit),
            Errc::Corrupt);
      }
      begin_ += read.size() - rest.size();
      co_return co_await take(*length);
    }
    if (read.size() >= kVarintBytesMax) {
      co_return cluster_error(fmt::format("DataNode {} sent no message; is its data transfer "
                                          "secured differently from what the configuration says?",
                                          peer()),
                              Errc::Corrupt);
    }
    MUSTER_CO_TRY_STATUS(co_await fill(kVarintBytesMax));
  }
}

rt::Async<Status> DataStream::send_parts(std::vector<std::span<const uint8_t>> parts) {
  co_return co_await stream_->write_parts(parts);
}

rt::Async<Status> DataStream::send(std::vector<std::string_view> pieces) {
  std::vector<std::span<const uint8_t>> parts;
  std::string wire;
  if (cipher_ == nullptr) {
    parts.reserve(pieces.size());
    for (const std::string_view piece : pieces) {
      parts.push_back(as_bytes(piece));
    }
  } else {
    for (const std::string_view piece : pieces) {
      MUSTER_CO_TRY_STATUS(cipher_->seal(piece, wire));
    }
    parts.push_back(as_bytes(wire));
  }
  co_return co_await rt::with_deadline(*loop_, loop_->now() + patience_,
                                       fmt::format("DataNode {} to take data", peer()),
                                       send_parts(std::move(parts)));
}

}  // namespace muster::hadoop::hdfs
