#include "metrics/block_file.h"

#include "metrics/block.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::metrics {
namespace {

/// No more are reported: a file of noise has any number of them.
constexpr size_t kDamagesMax = 16;

/// Returns the whole length that a block's head claims.
size_t claimed_bytes(std::string_view head) {
  size_t length = 0;
  for (size_t i = 0; i < 4; ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(head[8 + i])) << (8 * i);
  }
  return kBlockHeadBytes + length;
}

}  // namespace

std::optional<std::string_view> BlockFile::next() {
  while (at_ < bytes_.size()) {
    const std::string_view rest = bytes_.substr(at_);
    const size_t found = rest.find(kBlockMagic);
    if (found != 0) {
      note("bytes that are no block");
      at_ = found == std::string_view::npos ? bytes_.size() : at_ + found;
      continue;
    }
    const size_t claimed =
        rest.size() < kBlockHeadBytes ? rest.size() + 1 : claimed_bytes(rest.substr(0, 16));
    const std::string_view block = rest.substr(0, std::min(claimed, rest.size()));
    const auto view = BlockView::open(block);
    if (view.has_value()) {
      at_ += block.size();
      return block;
    }
    note(claimed > rest.size() ? "a block of samples is cut off" : view.error().message);
    // A block of another version is as long as it says; any other may claim anything.
    const bool whole = view.error().code == Errc::Unsupported && claimed <= rest.size();
    const size_t next = bytes_.find(kBlockMagic, at_ + (whole ? claimed : kBlockMagic.size()));
    at_ = next == std::string_view::npos ? bytes_.size() : next;
  }
  return std::nullopt;
}

void BlockFile::note(std::string_view what) {
  if (damages_.size() < kDamagesMax) {
    damages_.push_back(fmt::format("{} (at byte {})", what, at_));
  }
}

}  // namespace muster::metrics
