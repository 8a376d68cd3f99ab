// Frames of the control channel from any bytes, as all four kinds: what is accepted is sent and
// accepted again, unchanged. And whom the first message of a handshake names: it stands in it.

#include "base/check.h"
#include "net/client_hello.h"
#include "wire/frame.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace muster::wire;

namespace {

template <class Frame>
void check(const muster::Result<Frame>& frame, muster::Result<Frame> (*decode)(std::string_view)) {
  if (!frame) {
    MUSTER_CHECK(frame.error().code == muster::Errc::Corrupt, "damage has one code");
    MUSTER_CHECK(!frame.error().message.empty(), "an error says why");
    return;
  }
  const muster::Result<Frame> again = decode(encode(*frame));
  MUSTER_CHECK(again.has_value() && *again == *frame, "a frame is read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(decode_agent_frame(bytes), decode_agent_frame);
  check(decode_master_frame(bytes), decode_master_frame);
  check(decode_client_frame(bytes), decode_client_frame);
  check(decode_client_event(bytes), decode_client_event);
  if (const auto name = muster::net::psk_identity_of(bytes)) {
    MUSTER_CHECK(!name->empty() && name->data() > bytes.data() &&
                     name->data() + name->size() <= bytes.data() + bytes.size(),
                 "a name stands in the message");
  }
  return 0;
}
