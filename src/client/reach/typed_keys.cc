#include "client/reach/typed_keys.h"

#include "wire/stream.h"

#include <algorithm>

namespace muster::client {
namespace {

/// The other end has given credit for what was sent before that, so it has never received less.
constexpr size_t kDoubtfulMax = wire::kStreamWindowMax;

}  // namespace

void TypedKeys::sent(size_t bytes) {
  sent_ += bytes;
  if (sent_ > 2 * kDoubtfulMax) {  // Not each time, because the rest is moved.
    forget(sent_ - kDoubtfulMax);
  }
}

void TypedKeys::resume(uint64_t taken) {
  forget(std::clamp<uint64_t>(taken, forgotten_, forgotten_ + sent_) - forgotten_);
  sent_ = 0;
}

void TypedKeys::restart() {
  forget(sent_);
  forgotten_ = 0;
}

void TypedKeys::forget(size_t bytes) {
  kept_.erase(0, bytes);
  sent_ -= bytes;
  forgotten_ += bytes;
}

}  // namespace muster::client
