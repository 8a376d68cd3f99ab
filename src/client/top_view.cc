#include "client/top_view.h"

#include "base/text.h"
#include "client/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// Sorts by weight; what weighs the same stays in its order. (libstdc++ 12's stable_sort calls a
/// function that C++23 deprecates.)
template <class Item, class Weight>
void heaviest_first(std::vector<Item>& items, const Weight& weight) {
  std::multimap<double, Item, std::greater<>> sorted;
  for (Item& item : items) {
    const double key = weight(item);
    sorted.emplace(key, std::move(item));
  }
  std::ranges::transform(sorted, items.begin(),
                         [](auto& entry) { return std::move(entry.second); });
}

/// Roles of more tasks than this are folded until somebody opens them.
constexpr size_t kOpenTasksMax = 20;
constexpr size_t kNameColumnsMin = 12;
constexpr size_t kHistoryColumns = 20;
constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kPlainBars = "_.-:=+*#";

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
  });
  return result;
}

/// A whole number with a letter: steps of long trainings.
std::string count_text(double count) {
  if (count < 1e5) {
    return fmt::format("{:.0f}", count);
  }
  return count < 1e8 ? fmt::format("{:.0f}k", count / 1e3) : fmt::format("{:.0f}M", count / 1e6);
}

std::string rate_text(double rate) {
  return rate >= 100 ? fmt::format("{:.0f}", rate) : fmt::format("{:.3g}", rate);
}

std::string bytes_text(double bytes) {
  std::string text = format_bytes(static_cast<uint64_t>(std::max(bytes, 0.0)));
  std::erase(text, ' ');
  if (text.ends_with("iB")) {
    text.erase(text.size() - 2);
  }
  return text;
}

std::string cpu_text(const TopUsage& usage) {
  return usage.cpu ? fmt::format("{:.2f}", *usage.cpu) : "";
}

std::string memory_text(const TopUsage& usage) {
  if (!usage.memory_bytes) {
    return "";
  }
  const std::string used = bytes_text(*usage.memory_bytes);
  return usage.memory_limit_bytes ? used + "/" + bytes_text(*usage.memory_limit_bytes) : used;
}

std::string gpu_text(const TopUsage& usage) {
  return usage.gpu ? fmt::format("{:.0f}%", *usage.gpu * 100) : "";
}

std::string step_text(const TopUsage& usage) {
  if (!usage.step) {
    return "";
  }
  const std::string step = count_text(*usage.step);
  return usage.steps_max ? step + "/" + count_text(*usage.steps_max) : step;
}

std::string steps_text(const TopUsage& usage) {
  return usage.steps_per_second ? rate_text(*usage.steps_per_second) : "";
}

void add(std::optional<double>& sum, const std::optional<double>& value) {
  if (value) {
    sum = sum.value_or(0) + *value;
  }
}

/// What several tasks use together: sums of what is used; of the steps, which all take together,
/// the furthest, and of means the mean.
class Together {
 public:
  void take(const TopUsage& usage, const std::vector<double>& history) {
    add(sum_.cpu, usage.cpu);
    add(sum_.memory_bytes, usage.memory_bytes);
    add(sum_.memory_limit_bytes, usage.memory_limit_bytes);
    add(sum_.gpu, usage.gpu);
    add(sum_.steps_per_second, usage.steps_per_second);
    gpus_ += usage.gpu ? 1 : 0;
    rates_ += usage.steps_per_second ? 1 : 0;
    if (usage.step && *usage.step >= sum_.step.value_or(-1)) {
      sum_.step = usage.step;
    }
    if (usage.steps_max) {
      sum_.steps_max = std::max(sum_.steps_max.value_or(0), *usage.steps_max);
    }
    if (history.size() > history_.size()) {
      history_.insert(history_.begin(), history.size() - history_.size(), 0);
    }
    for (size_t ago = 1; ago <= history.size(); ++ago) {
      history_[history_.size() - ago] += history[history.size() - ago];
    }
  }
  [[nodiscard]] TopUsage usage() const {
    TopUsage usage = sum_;
    if (usage.gpu) {
      usage.gpu = *usage.gpu / gpus_;
    }
    if (usage.steps_per_second) {
      usage.steps_per_second = *usage.steps_per_second / rates_;
    }
    return usage;
  }
  [[nodiscard]] const std::vector<double>& history() const { return history_; }

 private:
  TopUsage sum_;
  double gpus_ = 0;
  double rates_ = 0;
  std::vector<double> history_;
};

/// "3 active, 1 waiting"
std::string states_text(const std::map<std::string, size_t>& states) {
  if (states.size() == 1) {
    return states.begin()->first;
  }
  std::string text;
  for (const auto& [state, count] : states) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
  }
  return text;
}

}  // namespace

struct TopView::Column {
  std::string_view title;
  size_t width = 0;
  bool left = false;
  std::string (*text)(const TopUsage&) = nullptr;  ///< nullptr: by its title.
};

// ---- rows

bool TopView::is_folded(const std::string& key, size_t children) const {
  if (options_.unfolded || unfolded_.contains(key)) {
    return false;
  }
  return folded_.contains(key) || children > kOpenTasksMax;
}

bool TopView::passes(const Row& row) const {
  const std::string wanted = lower(filter_);
  return lower(row.key).find(wanted) != std::string::npos ||
         lower(row.host).find(wanted) != std::string::npos ||
         lower(row.state).find(wanted) != std::string::npos;
}

double TopView::weight(const Row& row) const {
  switch (sort_) {
    case Sort::Name:
      return 0;
    case Sort::Cpu:
      return row.usage.cpu.value_or(-1);
    case Sort::Memory:
      return row.usage.memory_bytes.value_or(-1);
    case Sort::Gpu:
      return row.usage.gpu.value_or(-1);
    case Sort::Step:
      return row.usage.step.value_or(-1);
  }
  return 0;
}

void TopView::sort(std::vector<Row>& rows) const {
  if (sort_ != Sort::Name) {
    heaviest_first(rows, [this](const Row& row) { return weight(row); });
  }
  if (reversed_) {
    std::ranges::reverse(rows);
  }
}

/// The role's row, and its tasks' unless it is folded.
void TopView::add_role(const TopJob& job, const TopRole& role, unsigned depth,
                       std::vector<Row>& rows) const {
  std::vector<Row> tasks;
  Together together;
  std::map<std::string, size_t> states;
  for (const TopTask& task : role.tasks) {
    Row row;
    row.name = fmt::format("{}:{}", role.name, task.index);
    row.key = job.id + "/" + row.name;
    row.depth = depth + 1;
    row.state = task.attempt > 1 ? fmt::format("{} #{}", task.state, task.attempt) : task.state;
    row.host = task.host;
    row.usage = task.usage;
    row.history = task.cpu_history;
    together.take(task.usage, task.cpu_history);
    ++states[task.state];
    if (filter_.empty() || passes(row)) {
      tasks.push_back(std::move(row));
    }
  }
  Row own;
  own.key = job.id + "/" + role.name;
  own.name = fmt::format("{} ({})", role.name, role.tasks.size());
  own.level = Level::Role;
  own.depth = depth;
  own.folded = filter_.empty() && is_folded(own.key, role.tasks.size());
  own.state = states_text(states);
  own.usage = together.usage();
  own.history = together.history();
  if (!filter_.empty() && tasks.empty()) {
    return;
  }
  const bool folded = own.folded;
  rows.push_back(std::move(own));
  if (!folded) {
    sort(tasks);
    std::ranges::move(tasks, std::back_inserter(rows));
  }
}

std::vector<TopView::Row> TopView::rows() const {
  std::vector<std::pair<Row, std::vector<Row>>> jobs;
  for (const TopJob& job : jobs_) {
    const unsigned depth = jobs_.size() > 1 ? 1 : 0;
    // Roles are sorted by what their own rows say; their tasks stay with them.
    std::vector<std::vector<Row>> roles;
    Together together;
    for (const TopRole& role : job.roles) {
      std::vector<Row>& block = roles.emplace_back();
      add_role(job, role, depth, block);
      if (block.empty()) {
        roles.pop_back();
      } else {
        together.take(block.front().usage, block.front().history);
      }
    }
    if (sort_ != Sort::Name) {
      heaviest_first(roles, [this](const auto& role) { return weight(role.front()); });
    }
    Row own;
    own.key = job.id;
    own.name = job.id;
    own.level = Level::Job;
    own.state = job.phase;
    own.usage = together.usage();
    own.history = together.history();
    own.folded = filter_.empty() && is_folded(own.key, 0);
    std::vector<Row> below;
    for (std::vector<Row>& block : roles) {
      std::ranges::move(block, std::back_inserter(below));
    }
    if (filter_.empty() || !below.empty() || passes(own)) {
      jobs.emplace_back(std::move(own), std::move(below));
    }
  }
  if (sort_ != Sort::Name) {
    heaviest_first(jobs, [this](const auto& job) { return weight(job.first); });
  }
  std::vector<Row> rows;
  for (auto& [job, below] : jobs) {
    const bool folded = job.folded;
    if (jobs_.size() > 1) {
      rows.push_back(std::move(job));
    }
    if (jobs_.size() == 1 || !folded) {
      std::ranges::move(below, std::back_inserter(rows));
    }
  }
  return rows;
}

// ---- lines

/// The columns that there is room for beside the name, the weightiest first taken.
std::vector<TopView::Column> TopView::columns(const std::vector<Row>& rows, unsigned width) const {
  const auto any = [&rows](std::string (*text)(const TopUsage&)) {
    return std::ranges::any_of(rows, [text](const Row& row) { return !text(row.usage).empty(); });
  };
  const std::array<Column, 8> all = {Column{"STATE", 10, true, nullptr},
                                     Column{"CPU", 6, false, cpu_text},
                                     Column{"MEMORY", 13, false, memory_text},
                                     Column{"GPU", 5, false, gpu_text},
                                     Column{"STEP", 13, false, step_text},
                                     Column{"STEP/S", 7, false, steps_text},
                                     Column{"CPU, LAST", kHistoryColumns, true, nullptr},
                                     Column{"HOST", 16, true, nullptr}};
  constexpr std::array<size_t, 8> kWeightiest = {1, 2, 0, 4, 5, 3, 6, 7};
  std::set<size_t> taken;
  size_t left = width > kNameColumnsMin ? width - kNameColumnsMin : 0;
  for (const size_t column : kWeightiest) {
    const bool own = all[column].text == nullptr || column == 1 || column == 2;
    if ((own || any(all[column].text)) && all[column].width + 1 <= left) {
      left -= all[column].width + 1;
      taken.insert(column);
    }
  }
  std::vector<Column> columns;
  for (const size_t column : taken) {
    columns.push_back(all[column]);
  }
  return columns;
}

std::string TopView::spark(const std::vector<double>& history, size_t columns) const {
  const size_t count = std::min(history.size(), columns);
  const auto last = history.end() - static_cast<ptrdiff_t>(count);
  double most = 1;  // A core: idle tasks are flat.
  for (auto value = last; value != history.end(); ++value) {
    most = std::max(most, *value);
  }
  std::string line(columns - count, ' ');
  for (auto value = last; value != history.end(); ++value) {
    const auto bar = static_cast<size_t>(std::clamp(*value / most, 0.0, 1.0) * 7.0 + 0.5);
    line += options_.sparklines ? std::string(kBars[bar]) : std::string(1, kPlainBars[bar]);
  }
  return line;
}

std::string TopView::line_of(const Row& row, const std::vector<Column>& columns,
                             unsigned width) const {
  size_t name_width = width;
  for (const Column& column : columns) {
    name_width -= std::min(name_width, column.width + 1);
  }
  const std::string_view sign = row.level == Level::Task ? "" : row.folded ? "+ " : "- ";
  const auto fit = [](std::string_view text, size_t columns_max) {
    return cut_to_columns(printable(text), static_cast<unsigned>(columns_max));
  };
  std::string line = fmt::format(
      "{:<{}}", fit(std::string(2 * row.depth, ' ') + std::string(sign) + row.name, name_width),
      name_width);
  for (const Column& column : columns) {
    line += ' ';
    if (column.title == "CPU, LAST") {
      line += spark(row.history, column.width);
      continue;
    }
    const std::string text = fit(column.text != nullptr    ? column.text(row.usage)
                                 : column.title == "STATE" ? row.state
                                                           : row.host,
                                 column.width);
    line += column.left ? fmt::format("{:<{}}", text, column.width)
                        : fmt::format("{:>{}}", text, column.width);
  }
  return line;
}

std::string TopView::head_of(const std::vector<Column>& columns, unsigned width) const {
  size_t name_width = width;
  for (const Column& column : columns) {
    name_width -= std::min(name_width, column.width + 1);
  }
  std::string line =
      fmt::format("{:<{}}", std::string_view("TASK").substr(0, name_width), name_width);
  for (const Column& column : columns) {
    line += column.left ? fmt::format(" {:<{}}", column.title, column.width)
                        : fmt::format(" {:>{}}", column.title, column.width);
  }
  return line;
}

std::string TopView::title() const {
  size_t tasks = 0;
  size_t active = 0;
  for (const TopJob& job : jobs_) {
    for (const TopRole& role : job.roles) {
      tasks += role.tasks.size();
      active += static_cast<size_t>(
          std::ranges::count(role.tasks, std::string_view("active"), &TopTask::state));
    }
  }
  const std::string counts =
      fmt::format("{} {}, {} active", tasks, tasks == 1 ? "task" : "tasks", active);
  if (jobs_.size() == 1) {
    return fmt::format("{}  {}  {}", jobs_.front().id, jobs_.front().phase, counts);
  }
  return jobs_.empty() ? "no job is running" : fmt::format("{} jobs  {}", jobs_.size(), counts);
}

std::string TopView::foot() const {
  if (typing_) {
    return "filter: " + filter_ + "_   (Enter keeps it, Escape drops it)";
  }
  if (!note_.empty()) {
    return note_;
  }
  return (filter_.empty() ? "" : "filter: " + filter_ + "   ") +
         "q quit  h help  P cpu  M memory  N name  space fold  / filter";
}

std::vector<TopLine> TopView::help(unsigned width, unsigned height) const {
  static constexpr std::array<std::string_view, 16> kText = {
      "Keys of muster top",
      "",
      "q             quit",
      "h, ?          this help",
      "up, down      mark another row; so Page Up, Page Down, Home, End",
      "space, Enter  fold or unfold the marked job or role",
      "left, right   fold, unfold",
      "N             sort by name",
      "P             sort by processor time",
      "M             sort by memory",
      "G             sort by GPU use",
      "S             sort by step",
      "R             reverse the order",
      "/             show only tasks whose name, host or state has a text",
      "Escape        show all again",
      "any key leaves this help",
  };
  std::vector<TopLine> lines;
  for (const std::string_view text : kText) {
    if (lines.size() < height) {
      lines.push_back({.text = cut_to_columns(text, width)});
    }
  }
  return lines;
}

std::vector<TopLine> TopView::screen(unsigned width, unsigned height) {
  if (helping_) {
    return help(width, height);
  }
  const std::vector<Row> all = rows();
  const std::vector<Column> shown = columns(all, width);
  const unsigned around = height >= 5 ? 3 : height >= 2 ? 1 : 0;  // Title, heads, foot.
  page_ = std::max(height - around, 1U);
  const auto marked = std::ranges::find(all, marked_, &Row::key);
  const size_t at = marked == all.end() ? 0 : static_cast<size_t>(marked - all.begin());
  marked_ = all.empty() ? "" : all[at].key;
  first_ = std::min(first_, all.size() > page_ ? all.size() - page_ : 0);
  first_ = std::clamp(first_, at >= page_ ? at - page_ + 1 : 0, at);
  std::vector<TopLine> lines;
  if (around == 3) {
    lines.push_back(
        {.text = cut_to_columns(printable(title()), width), .style = TopLine::Style::Bold});
  }
  if (around > 0) {
    lines.push_back({.text = head_of(shown, width), .style = TopLine::Style::Bold});
  }
  for (size_t row = first_; row < all.size() && row < first_ + page_; ++row) {
    TopLine& line = lines.emplace_back(TopLine{.text = line_of(all[row], shown, width)});
    const bool failed = all[row].state.find("failed") != std::string::npos;
    line.style = row == at ? TopLine::Style::Reversed
                 : failed  ? TopLine::Style::Red
                           : TopLine::Style::Plain;
  }
  if (around == 3) {
    lines.resize(height - 1);
    lines.push_back({.text = cut_to_columns(printable(foot()), width)});
  }
  return lines;
}

std::vector<std::string> TopView::table(unsigned width) const {
  const std::vector<Row> all = rows();
  const std::vector<Column> shown = columns(all, width);
  std::vector<std::string> lines = {head_of(shown, width)};
  for (const Row& row : all) {
    lines.push_back(line_of(row, shown, width));
  }
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

// ---- keys

bool TopView::press(TopKey key) {
  if (helping_) {
    helping_ = false;
    return true;
  }
  if (typing_) {
    type_filter(key);
    return true;
  }
  switch (key.kind) {
    case TopKey::Kind::Text:
      return press_text(key.text);
    case TopKey::Kind::Up:
      move(-1);
      break;
    case TopKey::Kind::Down:
      move(1);
      break;
    case TopKey::Kind::PageUp:
      move(-static_cast<int>(page_));
      break;
    case TopKey::Kind::PageDown:
      move(static_cast<int>(page_));
      break;
    case TopKey::Kind::Home:
      move(INT32_MIN / 2);
      break;
    case TopKey::Kind::End:
      move(INT32_MAX / 2);
      break;
    case TopKey::Kind::Left:
      fold(true);
      break;
    case TopKey::Kind::Right:
      fold(false);
      break;
    case TopKey::Kind::Enter:
      return press_text(' ');
    case TopKey::Kind::Escape:
      filter_.clear();
      break;
    case TopKey::Kind::Erase:
      break;
  }
  return true;
}

bool TopView::press_text(char text) {
  switch (text) {
    case 'q':
      return false;
    case 'h':
    case '?':
      helping_ = true;
      break;
    case 'N':
      sort_by(Sort::Name);
      break;
    case 'P':
      sort_by(Sort::Cpu);
      break;
    case 'M':
      sort_by(Sort::Memory);
      break;
    case 'G':
      sort_by(Sort::Gpu);
      break;
    case 'S':
      sort_by(Sort::Step);
      break;
    case 'R':
      reversed_ = !reversed_;
      break;
    case '/':
      typing_ = true;
      filter_.clear();
      break;
    case ' ': {
      const std::vector<Row> all = rows();
      const auto row = std::ranges::find(all, marked_, &Row::key);
      fold(row == all.end() || row->level == Level::Task || !row->folded);
      break;
    }
    default:
      break;
  }
  return true;
}

void TopView::type_filter(TopKey key) {
  constexpr size_t kFilterMax = 60;
  if (key.kind == TopKey::Kind::Text && filter_.size() < kFilterMax) {
    filter_ += key.text;
  } else if (key.kind == TopKey::Kind::Erase && !filter_.empty()) {
    filter_.pop_back();
  } else if (key.kind == TopKey::Kind::Enter) {
    typing_ = false;
  } else if (key.kind == TopKey::Kind::Escape) {
    typing_ = false;
    filter_.clear();
  }
}

void TopView::move(int count) {
  const std::vector<Row> all = rows();
  if (all.empty()) {
    return;
  }
  const auto marked = std::ranges::find(all, marked_, &Row::key);
  const int64_t at = marked == all.end() ? 0 : marked - all.begin();
  const int64_t to = std::clamp<int64_t>(at + count, 0, static_cast<int64_t>(all.size()) - 1);
  marked_ = all[static_cast<size_t>(to)].key;
}

/// Folds what is marked or, of a task, what it belongs to.
void TopView::fold(bool folded) {
  std::string key = marked_;
  const std::vector<Row> all = rows();
  const auto row = std::ranges::find(all, key, &Row::key);
  if (row != all.end() && row->level == Level::Task) {
    if (!folded) {
      return;
    }
    key.erase(key.rfind(':'));
    marked_ = key;
  }
  (folded ? folded_ : unfolded_).insert(key);
  (folded ? unfolded_ : folded_).erase(key);
}

void TopView::sort_by(Sort sort) {
  sort_ = sort;
  reversed_ = false;
}

}  // namespace muster::client
