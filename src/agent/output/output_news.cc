#include "agent/output/output_news.h"

#include "base/ascii.h"
#include "base/text.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace muster::agent {
namespace {

constexpr size_t kLineBytesMax = 256;

/// Words of programs that get nowhere. "error" is not one: training programs call their loss that.
constexpr std::array<std::string_view, 12> kGetsNowhere = {
    "again", "cannot",  "could not", "denied",      "failed",      "refused",
    "retry", "retries", "timed out", "unavailable", "unreachable", "waiting"};

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// "13:43:01,250", "[2026-11-24T13:43:01Z]": digits and marks, with at least two separators.
bool is_time(std::string_view word) {
  constexpr std::string_view kMarks = ":-/.,TZ+[]()";
  const bool fits = std::ranges::all_of(word, [&](char byte) {
    return is_digit(byte) || kMarks.find(byte) != std::string_view::npos;
  });
  return fits && std::ranges::count_if(word, [](char byte) {
                   return byte == ':' || byte == '-' || byte == '/';
                 }) >= 2;
}

}  // namespace

std::string comparable(std::string_view line) {
  line = line.substr(0, kLineBytesMax);
  std::string lower(line);
  lower = ascii_lower(std::move(lower));
  const bool nowhere = std::ranges::any_of(
      kGetsNowhere, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
  std::string kept;
  while (!line.empty()) {
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    if (!is_time(word)) {
      kept += word;
      kept += ' ';
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (nowhere) {
    std::erase_if(kept, is_digit);
  }
  return kept;
}

void OutputNews::take(size_t stream, std::string_view bytes) {
  grown_ = grown_ || !bytes.empty();
  if (new_ >= kCountedMax || read_ > kReadMax) {
    // The ends of lines must still be found.
    const size_t end = find_last_line_end(bytes);
    if (end != std::string_view::npos) {
      ended_ = true;
      rests_.at(stream).clear();
      bytes.remove_prefix(end + 1);
    }
  }
  std::string& rest = rests_.at(stream);
  while (!bytes.empty()) {
    const size_t end = find_line_end(bytes);
    const std::string_view part = bytes.substr(0, end);
    rest += part.substr(0, kLineBytesMax - std::min(rest.size(), kLineBytesMax));
    read_ += part.size() + 1;
    if (end == std::string_view::npos) {
      return;
    }
    take_line(std::exchange(rest, {}));
    bytes.remove_prefix(end + 1);
  }
}

void OutputNews::take_line(std::string_view line) {
  const size_t hash = std::hash<std::string>()(comparable(line));
  ended_ = true;
  if (line.empty() || std::ranges::find(remembered_, hash) != remembered_.end()) {
    return;
  }
  ++new_;
  if (remembered_.size() < kRemembered) {
    remembered_.push_back(hash);
  } else {
    remembered_[oldest_] = hash;
    oldest_ = (oldest_ + 1) % kRemembered;
  }
}

uint64_t OutputNews::look() {
  news_ += new_ > 0 ? std::min(new_, kCountedMax) : grown_ && !ended_ ? 1 : 0;
  grown_ = ended_ = false;
  new_ = 0;
  read_ = 0;
  return news_;
}

}  // namespace muster::agent
