#include "net/http_codec.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

// The first byte chooses how large the pieces are in which the others are fed.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const size_t piece = data[0] == 0 ? size : data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  muster::net::HttpRequestReader requests;
  muster::net::HttpResponseReader response;
  bool good = true;
  bool reads = true;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    if (good) {
      requests.feed(bytes.substr(at, piece));
      auto next = requests.next();
      while (next.has_value() && next->has_value()) {
        next = requests.next();
      }
      good = next.has_value();
    }
    reads = reads && response.feed(bytes.substr(at, piece)).has_value();
    (void)response.take_body();
  }
  if (reads) {
    (void)response.end();
  }
  return 0;
}
