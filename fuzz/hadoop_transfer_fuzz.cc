// What a DataNode may send: the answer to a read with its packets, the acknowledgements of a
// pipeline, and both as protected pieces. The reader ends with bytes that were verified or with an
// error that says why.

#include "base/check.h"
#include "hadoop/hdfs/blocks/block_reader.h"
#include "hadoop/hdfs/blocks/packet.h"
#include "net/stream.h"
#include "rt/io_loop.h"
#include "rt/running.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

using namespace muster;
using namespace muster::hadoop::hdfs;

namespace {

constexpr uint64_t kBlockBytes = 4096;

/// Gives the input in pieces, then the end; takes everything.
class InputStream final : public net::Stream {
 public:
  InputStream(std::string_view bytes, size_t piece_bytes)
      : bytes_(bytes), piece_bytes_(piece_bytes) {}

  rt::Async<Result<size_t>> read_some(std::span<uint8_t> buffer) override {
    const size_t count = std::min({buffer.size(), bytes_.size(), piece_bytes_});
    std::copy_n(bytes_.begin(), count, buffer.begin());
    bytes_.remove_prefix(count);
    co_return count;
  }
  rt::Async<Status> write_parts(std::span<const std::span<const uint8_t>>) override {
    co_return Status();
  }
  void close_write() override {}
  const std::string& peer() const override { return peer_; }

 private:
  std::string_view bytes_;
  size_t piece_bytes_;
  std::string peer_ = "10.0.0.1:9866";
};

std::unique_ptr<DataStream> open_stream(rt::Loop& loop, std::string_view bytes, size_t piece) {
  return std::make_unique<DataStream>(loop, std::make_unique<InputStream>(bytes, piece),
                                      std::chrono::minutes(1));
}

rt::Async<Status> read_block(std::unique_ptr<DataStream> stream) {
  ReadOp op;
  op.offset = 100;
  op.length = kBlockBytes - 100;
  MUSTER_CO_TRY(const auto reader, co_await BlockReader::open(std::move(stream), op));
  uint64_t got = 0;
  while (true) {
    MUSTER_CO_TRY(const std::string_view piece, co_await reader->next());
    if (piece.empty()) {
      MUSTER_CHECK(got == op.length, "a range that ends well is whole");
      co_return Status();
    }
    got += piece.size();
    MUSTER_CHECK(got <= op.length, "no more than the range is given out");
  }
}

rt::Async<Status> read_acks(std::unique_ptr<DataStream> stream) {
  while (true) {
    MUSTER_CO_TRY(const std::string_view bytes, co_await stream->take_delimited(64U << 10));
    MUSTER_CO_TRY_STATUS(decode_ack(bytes));
  }
}

/// Runs `work` to its end; its error must say why.
void run(rt::IoLoop& loop, rt::Async<Status> work) {
  const auto running = rt::start(loop, std::move(work), [&loop](const Status& status) {
    MUSTER_CHECK(status.has_value() || !status.error().message.empty(), "an error says why");
    loop.stop();
  });
  loop.run();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  static rt::IoLoop loop;  // One of these takes longer than a whole input.
  const size_t piece = data[0] == 0 ? size : data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  run(loop, read_block(open_stream(loop, bytes, piece)));
  run(loop, read_acks(open_stream(loop, bytes, piece)));
  if (const auto header = decode_packet_header(bytes, kPacketBytesMax); header.has_value()) {
    const std::string start = encode_packet_start(*header, 0);
    MUSTER_CHECK(*decode_packet_header(std::string_view(start).substr(kPacketLengths),
                                       kPacketBytesMax) == *header,
                 "a header is read back");
  }
  return 0;
}
