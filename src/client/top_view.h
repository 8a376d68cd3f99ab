#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

/// What a task uses and how far it has come, as far as that is known.
struct TopUsage {
  std::optional<double> cpu;  ///< Cores.
  std::optional<double> memory_bytes;
  std::optional<double> memory_limit_bytes;
  std::optional<double> gpu;  ///< 0 to 1: the mean of its devices.
  std::optional<double> step;
  std::optional<double> steps_max;
  std::optional<double> steps_per_second;
};

struct TopTask {
  uint32_t index = 0;
  std::string state;
  std::string host;
  uint32_t attempt = 0;
  TopUsage usage;
  std::vector<double> cpu_history;  ///< A value for each second, the last one now.
};

struct TopRole {
  std::string name;
  std::vector<TopTask> tasks;
};

struct TopJob {
  std::string id;
  std::string phase;
  std::vector<TopRole> roles;
};

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
/// scrolled by keys like those of top. Pure: it is given what to show and says which lines that
/// are.
class TopView {
 public:
  struct Options {
    bool sparklines = true;  ///< The terminal shows UTF-8; else plain letters.
    bool unfolded = false;   ///< Nothing is folded; for a table that is printed once.
  };
  explicit TopView(Options options) : options_(options) {}

  void show(std::vector<TopJob> jobs) { jobs_ = std::move(jobs); }
  /// A line of what is wrong, shown at the bottom; "" for nothing.
  void say(std::string note) { note_ = std::move(note); }
  /// Returns false when the person wants to leave.
  bool press(TopKey key);

  /// The screen; at most `height` lines of at most `width` columns. Scrolls so that the marked row
  /// is seen.
  [[nodiscard]] std::vector<TopLine> screen(unsigned width, unsigned height);
  /// The table alone, all of it.
  [[nodiscard]] std::vector<std::string> table(unsigned width) const;

 private:
  enum class Sort : uint8_t { Name, Cpu, Memory, Gpu, Step };
  enum class Level : uint8_t { Job, Role, Task };
  struct Row {
    std::string key;   ///< "digits-x", "digits-x/worker", "digits-x/worker:3".
    std::string name;  ///< As shown, without its place in the tree.
    Level level = Level::Task;
    unsigned depth = 0;
    bool folded = false;
    std::string state;
    std::string host;
    TopUsage usage;
    std::vector<double> history;
  };
  struct Column;

  [[nodiscard]] std::vector<Row> rows() const;
  void add_role(const TopJob& job, const TopRole& role, unsigned depth,
                std::vector<Row>& rows) const;
  void sort(std::vector<Row>& rows) const;
  [[nodiscard]] double weight(const Row& row) const;
  [[nodiscard]] bool passes(const Row& row) const;
  [[nodiscard]] bool is_folded(const std::string& key, size_t children) const;
  [[nodiscard]] std::vector<Column> columns(const std::vector<Row>& rows, unsigned width) const;
  [[nodiscard]] std::string line_of(const Row& row, const std::vector<Column>& columns,
                                    unsigned width) const;
  [[nodiscard]] std::string head_of(const std::vector<Column>& columns, unsigned width) const;
  [[nodiscard]] std::string spark(const std::vector<double>& history, size_t columns) const;
  [[nodiscard]] std::vector<TopLine> help(unsigned width, unsigned height) const;
  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::string foot() const;
  bool press_text(char text);
  void type_filter(TopKey key);
  void move(int rows);
  void fold(bool folded);
  void sort_by(Sort sort);

  Options options_;
  std::vector<TopJob> jobs_;
  std::string note_;
  Sort sort_ = Sort::Name;
  bool reversed_ = false;
  std::string filter_;
  bool typing_ = false;  ///< The filter.
  bool helping_ = false;
  std::set<std::string> folded_, unfolded_;  ///< By hand.
  std::string marked_;                       ///< The key of the row with the cursor.
  size_t first_ = 0;                         ///< The first row that is seen.
  unsigned page_ = 1;                        ///< Rows of the last screen.
};

}  // namespace muster::client
