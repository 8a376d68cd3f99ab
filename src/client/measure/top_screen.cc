#include "client/measure/top_screen.h"

#include "client/measure/terminal_descriptions.h"
#include "os/process/terminal_mode.h"

#define NCURSES_NOMACROS 1
#include <cstdio>
#include <cstdlib>
#include <curses.h>
#include <locale.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace muster::client {
namespace {

/// How long ncurses waits for the rest of a key that begins with Escape.
constexpr int kEscapeMs = 25;
constexpr int kEscape = 27;
constexpr int kDelete = 127;
constexpr short kRed = 1;

/// Returns whether the terminal understands what xterm does.
bool is_like_xterm(std::string_view term) {
  for (const std::string_view known :
       {"xterm",     "screen", "tmux",   "rxvt",    "konsole", "gnome", "vte",
        "alacritty", "kitty",  "foot",   "wezterm", "ghostty", "st-",   "putty",
        "iterm",     "cygwin", "mintty", "vt2",     "vt3",     "eterm"}) {
    if (term.starts_with(known)) {
      return true;
    }
  }
  return false;
}

/// Starts with the terminal `term` as the system describes it, else as this program does.
SCREEN* begin(const std::string& term) {
  if (SCREEN* const known = term.empty() ? nullptr : ::newterm(term.c_str(), stdout, stdin)) {
    return known;
  }
  const bool console = term == "linux";
  if (!console && !is_like_xterm(term)) {
    return nullptr;
  }
  const std::string description(console ? kLinuxDescription : kXtermDescription);
  // lint: allow(environment) ncurses takes a description from nowhere else; nothing is started here
  ::setenv("TERMINFO", description.c_str(), 1);
  return ::newterm(console ? "linux" : "xterm-256color", stdout, stdin);
}

TopKey key_of(int code) {
  using Kind = TopKey::Kind;
  switch (code) {
    case KEY_UP:
      return {.kind = Kind::Up};
    case KEY_DOWN:
      return {.kind = Kind::Down};
    case KEY_LEFT:
      return {.kind = Kind::Left};
    case KEY_RIGHT:
      return {.kind = Kind::Right};
    case KEY_PPAGE:
      return {.kind = Kind::PageUp};
    case KEY_NPAGE:
      return {.kind = Kind::PageDown};
    case KEY_HOME:
      return {.kind = Kind::Home};
    case KEY_END:
      return {.kind = Kind::End};
    case KEY_ENTER:
    case '\n':
    case '\r':
      return {.kind = Kind::Enter};
    case KEY_BACKSPACE:
    case '\b':
    case kDelete:
      return {.kind = Kind::Erase};
    default:
      return {.kind = Kind::Escape};
  }
}

class CursesScreen final : public TopScreen {
 public:
  explicit CursesScreen(SCREEN* screen) : screen_(screen) {
    ::cbreak();
    ::noecho();
    ::nonl();
    ::curs_set(0);
    ::set_escdelay(kEscapeMs);
    ::keypad(::stdscr, true);
    ::nodelay(::stdscr, true);
    // Some terminals send these in whatever mode they are put.
    for (const auto& [sequence, key] :
         {std::pair("\x1b[A", KEY_UP), std::pair("\x1b[B", KEY_DOWN),
          std::pair("\x1b[C", KEY_RIGHT), std::pair("\x1b[D", KEY_LEFT),
          std::pair("\x1b[H", KEY_HOME), std::pair("\x1b[F", KEY_END)}) {
      ::define_key(sequence, key);
    }
    if (::has_colors() && ::start_color() == OK) {
      ::use_default_colors();
      coloured_ = ::init_pair(kRed, COLOR_RED, -1) == OK;
    }
  }

  ~CursesScreen() override {
    ::endwin();
    ::delscreen(screen_);
  }

  std::vector<TopKey> keys() override {
    std::vector<TopKey> keys;
    for (int code = ::wgetch(::stdscr); code != ERR; code = ::wgetch(::stdscr)) {
      constexpr int kFirst = 0x20;
      if (code >= kFirst && code < kDelete) {
        keys.push_back({.kind = TopKey::Kind::Text, .text = static_cast<char>(code)});
      } else if (const TopKey key = key_of(code);
                 key.kind != TopKey::Kind::Escape || code == kEscape) {
        keys.push_back(key);
      }
    }
    return keys;
  }

  void paint(const std::vector<TopLine>& lines) override {
    ::werase(::stdscr);
    for (size_t row = 0; row < lines.size() && row < height(); ++row) {
      const attr_t look = look_of(lines[row].style);
      ::wattron(::stdscr, static_cast<int>(look));
      ::wmove(::stdscr, static_cast<int>(row), 0);
      ::waddnstr(::stdscr, lines[row].text.c_str(), -1);
      ::wattroff(::stdscr, static_cast<int>(look));
    }
    ::wrefresh(::stdscr);
  }

  void resize() override {
    if (const auto size = os::window_size_of(STDOUT_FILENO);
        size && size->rows > 0 && size->columns > 0) {
      ::resizeterm(static_cast<int>(size->rows), static_cast<int>(size->columns));
      ::wclear(::stdscr);
    }
  }

  [[nodiscard]] unsigned width() const override {
    return static_cast<unsigned>(::getmaxx(::stdscr));
  }
  [[nodiscard]] unsigned height() const override {
    return static_cast<unsigned>(::getmaxy(::stdscr));
  }

 private:
  [[nodiscard]] attr_t look_of(TopLine::Style style) const {
    switch (style) {
      case TopLine::Style::Plain:
        return A_NORMAL;
      case TopLine::Style::Bold:
        return A_BOLD;
      case TopLine::Style::Reversed:
        return A_REVERSE;
      case TopLine::Style::Red:
        return coloured_ ? static_cast<attr_t>(COLOR_PAIR(kRed)) : A_BOLD;
    }
    return A_NORMAL;
  }

  SCREEN* screen_;
  bool coloured_ = false;
};

}  // namespace

Result<std::unique_ptr<TopScreen>> TopScreen::open(const std::string& term, bool utf8) {
  if (utf8) {
    ::setlocale(LC_CTYPE, "C.UTF-8");  // Built into the C library, so it needs no file.
  }
  SCREEN* const screen = begin(term);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what tigetstr returns for what is not a string.
  char* const no_string = reinterpret_cast<char*>(-1);
  const bool moves =
      screen != nullptr && ::tigetstr("cup") != nullptr && ::tigetstr("cup") != no_string;
  if (!moves) {
    if (screen != nullptr) {
      ::endwin();
      ::delscreen(screen);
    }
    return Error{.code = Errc::Unsupported,
                 .blame = Blame::User,
                 .message = term.empty() ? std::string("TERM is not set")
                                         : "the terminal `" + term + "` cannot show a full screen"};
  }
  return std::make_unique<CursesScreen>(screen);
}

}  // namespace muster::client
