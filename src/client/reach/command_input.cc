#include "client/reach/command_input.h"

#include <algorithm>
#include <utility>

namespace muster::client {

CommandInput::CommandInput(rt::IoLoop& loop, Options options, Handlers handlers)
    : bytes_left_(options.bytes_max.value_or(UINT64_MAX)),
      detach_watch_(std::move(options.detach_keys)),
      handlers_(std::move(handlers)),
      pump_(loop, options.fd,
            {.bytes = [this](std::string_view bytes) { on_bytes(bytes); },
             .ended = [this] { handlers_.ended(); }}) {}

void CommandInput::allow(size_t room) {
  // Keys that were held back may be passed on with the next ones.
  const size_t held_max = std::min(room, detach_watch_.held_max());
  pump_.allow(std::min<uint64_t>(room - held_max, bytes_left_));
}

void CommandInput::end() {
  ended_ = true;
  pump_.allow(0);
}

void CommandInput::on_bytes(std::string_view bytes) {
  bytes_left_ -= bytes.size();
  handlers_.typed(detach_watch_.take(bytes), bytes.size());
}

}  // namespace muster::client
