#include "net/stream.h"

#include <fmt/format.h>

namespace muster::net {

rt::Async<Status> Stream::write(std::span<const uint8_t> bytes) {
  const std::span<const std::span<const uint8_t>> parts(&bytes, 1);
  co_return co_await write_parts(parts);
}

rt::Async<Status> Stream::read_exactly(std::span<uint8_t> buffer) {
  size_t filled = 0;
  while (filled < buffer.size()) {
    MUSTER_CO_TRY(const size_t size, co_await read_some(buffer.subspan(filled)));
    if (size == 0) {
      co_return cluster_error(fmt::format("the connection to {} ended after {} of {} bytes", peer(),
                                          filled, buffer.size()),
                              Errc::Corrupt);
    }
    filled += size;
  }
  co_return Status();
}

}  // namespace muster::net
