#include "client/follow/line_show.h"

#include "client/show/terminal_text.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace muster::client {
namespace {

using std::chrono::milliseconds;

constexpr Duration kFoldWindow = milliseconds(300);
/// How often unfinished lines (progress bars) are drawn again, and how many of them.
constexpr Duration kMovingEvery = milliseconds(50);
constexpr size_t kMovingMax = 6;
constexpr size_t kWholeLineMax = 64U << 10;

/// Colours of prefixes by role and index, so that neighbours differ.
constexpr std::string_view kPrefixColours[] = {"36", "33", "32", "35", "34", "96", "93", "92"};

// A file gets all of every line.
LineFolder::Options options_for(const Screen& screen) {
  return screen.out_is_terminal
             ? LineFolder::Options{.window = kFoldWindow}
             : LineFolder::Options{.window = kFoldWindow, .line_max = kWholeLineMax, .whole = true};
}

/// Returns the text without a UTF-8 character at its end whose last bytes are still to come.
std::string_view without_half_character(std::string_view text) {
  constexpr size_t kCharacterMax = 4;
  for (size_t back = 1; back <= std::min(text.size(), kCharacterMax - 1); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0U) != 0x80U) {
      const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
      return length > back ? text.substr(0, text.size() - back) : text;
    }
  }
  return text;
}

}  // namespace

LineShow::LineShow(rt::Loop& loop, Console& console, const job::Plan& plan)
    : loop_(loop), console_(console), folder_(plan, options_for(console.screen())) {}

LineShow::~LineShow() {
  loop_.cancel(flush_timer_);
  loop_.cancel(moving_timer_);
}

void LineShow::feed(job::TaskId task, bool is_err, std::string_view bytes) {
  show(folder_.feed(task, is_err, bytes, loop_.now()));
  arm_flush();
  if (console_.screen().err_is_terminal && moving_timer_ == rt::TimerId{}) {
    moving_timer_ = loop_.call_after(kMovingEvery, [this] {
      moving_timer_ = {};
      show_moving();
    });
  }
}

void LineShow::dropped(job::TaskId task, bool is_err, uint64_t bytes) {
  folder_.dropped(task, is_err, bytes, loop_.now());
  arm_flush();
}

void LineShow::finish() {
  loop_.cancel(std::exchange(flush_timer_, {}));
  loop_.cancel(std::exchange(moving_timer_, {}));
  show(folder_.finish());
  console_.moving({});
}

void LineShow::show(const std::vector<ShownLine>& lines) {
  if (moving_shown_ && !lines.empty()) {
    // Otherwise a line that has just ended would be drawn once more below itself.
    show_moving();
  }
  const Screen& screen = console_.screen();
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    const ShownLine& line = lines[i];
    const size_t which = line.task.role.value * 3U + line.task.index;
    const bool terminal = line.to_err ? screen.err_is_terminal : screen.out_is_terminal;
    text += paint(line.prefix, kPrefixColours[which % std::size(kPrefixColours)],
                  screen.colour && terminal) +
            " | " + terminal_text(line.text, terminal) + "\n";
    // Neighbours on one stream are written together.
    if (i + 1 == lines.size() || lines[i + 1].to_err != line.to_err) {
      if (line.to_err) {
        console_.err(text);
      } else {
        console_.out(text);
      }
      text.clear();
    }
  }
}

/// Draws what tasks have written without a newline so far: prompts, progress bars.
void LineShow::show_moving() {
  std::vector<std::string> lines;
  for (const ShownLine& line : folder_.unfinished(kMovingMax)) {
    lines.push_back(line.prefix + " | " + terminal_text(without_half_character(line.text), false));
  }
  moving_shown_ = !lines.empty();
  console_.moving(std::move(lines));
}

void LineShow::arm_flush() {
  loop_.cancel(std::exchange(flush_timer_, {}));
  const HostTime due = folder_.due();
  if (due == HostTime::max()) {
    return;
  }
  flush_timer_ = loop_.call_at(due, [this] {
    flush_timer_ = {};
    show(folder_.flush(loop_.now()));
    arm_flush();
  });
}

}  // namespace muster::client
