#include "agent/session/terminal_history.h"

#include <algorithm>

namespace muster::agent {
namespace {

/// What a new client is shown before the part that it missed: a screen or two.
constexpr uint64_t kContextBytes = 8U << 10;

}  // namespace

void TerminalHistory::take(std::string_view bytes) {
  scrollback_.append(bytes);
  modes_.take(bytes);
}

TerminalHistory::Resumption TerminalHistory::resume(std::optional<uint64_t> known) const {
  const uint64_t wanted = known ? std::min(*known, scrollback_.end()) : seen_;
  Resumption resumption{.position = known ? wanted : wanted - std::min(wanted, kContextBytes),
                        .modes = ""};
  if (resumption.position < scrollback_.begin() || !known) {
    const uint64_t kept = std::max(resumption.position, scrollback_.begin());
    // Start neither inside a line nor inside a terminal escape sequence.
    resumption.position = kept == 0 ? 0 : scrollback_.line_from(kept);
    resumption.lost = resumption.position - std::min(resumption.position, wanted);
  }
  if (!known || resumption.lost > 0) {
    resumption.modes = modes_.sequences();
  }
  return resumption;
}

}  // namespace muster::agent
