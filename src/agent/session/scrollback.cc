#include "agent/session/scrollback.h"

#include "base/check.h"

namespace muster::agent {
namespace {

/// Whole pieces are dropped; typed keys arrive one by one and are joined into pieces.
constexpr size_t kPieceBytes = 32U << 10;

}  // namespace

void Scrollback::append(std::string_view bytes) {
  end_ += bytes.size();
  while (!bytes.empty()) {
    if (pieces_.empty() || pieces_.back().size() == kPieceBytes) {
      pieces_.emplace_back();
    }
    const std::string_view part = bytes.substr(0, kPieceBytes - pieces_.back().size());
    pieces_.back() += part;
    bytes.remove_prefix(part.size());
  }
  while (end_ - begin_ >= kBytesMin + kPieceBytes) {
    begin_ += pieces_.front().size();
    pieces_.pop_front();
  }
}

std::string_view Scrollback::read(uint64_t position, size_t bytes_max) const {
  MUSTER_CHECK(position >= begin_ && position <= end_, "a position that is kept");
  size_t offset = static_cast<size_t>(position - begin_);
  for (const std::string& piece : pieces_) {
    if (offset < piece.size()) {
      return std::string_view(piece).substr(offset, bytes_max);
    }
    offset -= piece.size();
  }
  return {};
}

uint64_t Scrollback::line_from(uint64_t position) const {
  for (uint64_t at = position; at < end_;) {
    const std::string_view part = read(at, kPieceBytes);
    if (const size_t found = part.find('\n'); found != std::string_view::npos) {
      return at + found + 1;
    }
    at += part.size();
  }
  return position;
}

}  // namespace muster::agent
