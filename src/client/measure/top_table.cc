#include "client/measure/top_table.h"

#include "base/text.h"
#include "client/measure/usage_text.h"
#include "client/show/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

namespace muster::client {
namespace {

constexpr size_t kNameColumnsMin = 12;
constexpr size_t kHistoryColumns = 20;
constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kPlainBars = "_.-:=+*#";

/// A whole number with a letter, for the steps of long trainings.
std::string count_text(double count) {
  if (count < 1e5) {
    return fmt::format("{:.0f}", count);
  }
  return count < 1e8 ? fmt::format("{:.0f}k", count / 1e3) : fmt::format("{:.0f}M", count / 1e6);
}

std::string step_text(const TopUsage& usage) {
  if (!usage.step) {
    return "";
  }
  const std::string step = count_text(*usage.step);
  return usage.steps_max ? step + "/" + count_text(*usage.steps_max) : step;
}

}  // namespace

struct TopTable::Column {
  std::string_view title;
  size_t width = 0;
  bool left = false;
  std::string (*text)(const TopUsage&) = nullptr;  ///< nullptr: by its title.
};

TopTable::Lines TopTable::lines(const std::vector<TopRow>& rows, unsigned width, size_t first,
                                size_t count) const {
  const std::vector<Column> shown = columns(rows, width);
  size_t name_width = width;
  for (const Column& column : shown) {
    name_width -= std::min(name_width, column.width + 1);
  }
  Lines lines{.head = head_of(shown, name_width), .rows = {}};
  for (size_t row = first; row < rows.size() && row - first < count; ++row) {
    lines.rows.push_back(line_of(rows[row], shown, name_width));
  }
  return lines;
}

/// Returns the columns for which there is room beside the name, taking the weightiest first.
std::vector<TopTable::Column> TopTable::columns(const std::vector<TopRow>& rows, unsigned width) {
  const auto any = [&rows](std::string (*text)(const TopUsage&)) {
    return std::ranges::any_of(rows,
                               [text](const TopRow& row) { return !text(row.usage).empty(); });
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

std::string TopTable::spark(const std::vector<double>& history, size_t columns) const {
  const size_t count = std::min(history.size(), columns);
  const auto last = history.end() - static_cast<ptrdiff_t>(count);
  double most = 1;  // At least one core, so that idle tasks are flat.
  for (auto value = last; value != history.end(); ++value) {
    most = std::max(most, *value);
  }
  std::string line(columns - count, ' ');
  for (auto value = last; value != history.end(); ++value) {
    const auto bar = static_cast<size_t>(std::lround(std::clamp(*value / most, 0.0, 1.0) * 7.0));
    line += sparklines_ ? std::string(kBars[bar]) : std::string(1, kPlainBars[bar]);
  }
  return line;
}

std::string TopTable::line_of(const TopRow& row, const std::vector<Column>& columns,
                              size_t name_width) const {
  const std::string_view sign = row.level == TopRow::Level::Task ? "" : row.folded ? "+ " : "- ";
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

std::string TopTable::head_of(const std::vector<Column>& columns, size_t name_width) {
  std::string line =
      fmt::format("{:<{}}", std::string_view("TASK").substr(0, name_width), name_width);
  for (const Column& column : columns) {
    line += column.left ? fmt::format(" {:<{}}", column.title, column.width)
                        : fmt::format(" {:>{}}", column.title, column.width);
  }
  return line;
}

}  // namespace muster::client
