#pragma once

#include "client/measure/top_jobs.h"
#include "client/measure/top_outline.h"
#include "client/measure/top_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

/// A line of the screen.
struct TopLine {
  enum class Style : uint8_t { Plain, Bold, Reversed, Red };
  std::string text;  ///< UTF-8; at most as many columns as were asked for.
  Style style = Style::Plain;
};

/// A key that was pressed.
struct TopKey {
  enum class Kind : uint8_t {
    Text,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Erase,
  };
  Kind kind = Kind::Text;
  char text = 0;  ///< Of Text: printable ASCII.
};

/// The table of `muster top`: jobs fold into roles, roles into tasks. Sorted, filtered, folded and
/// scrolled with keys like those of top. Pure: it is given what to show and returns the lines to
/// display.
class TopView {
 public:
  struct Options {
    bool sparklines = true;  ///< The terminal shows UTF-8; else plain letters.
    bool unfolded = false;   ///< Nothing is folded; for a table that is printed once.
  };
  explicit TopView(Options options) : outline_(options.unfolded), table_(options.sparklines) {}

  void show(std::vector<TopJob> jobs) { jobs_ = std::move(jobs); }
  /// Sets a line about a problem, shown at the bottom; "" for none.
  void say(std::string note) { note_ = std::move(note); }
  /// Returns false when the person wants to leave.
  bool press(TopKey key);

  /// Returns the screen: at most `height` lines of at most `width` columns. Scrolls so that the
  /// marked row is visible.
  [[nodiscard]] std::vector<TopLine> screen(unsigned width, unsigned height);
  /// Returns the table alone, all of it.
  [[nodiscard]] std::vector<std::string> table(unsigned width) const;

 private:
  [[nodiscard]] std::vector<TopRow> rows() const { return outline_.rows(jobs_); }
  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::string foot() const;
  bool press_text(char text);
  void type_filter(TopKey key);
  void move(int rows);
  void fold(bool folded);

  std::vector<TopJob> jobs_;
  TopOutline outline_;
  TopTable table_;
  std::string note_;
  bool typing_ = false;  ///< The filter.
  bool helping_ = false;
  std::string marked_;  ///< The key of the row with the cursor.
  size_t first_ = 0;    ///< The first visible row.
  unsigned page_ = 1;   ///< Rows of the last screen.
};

}  // namespace muster::client
