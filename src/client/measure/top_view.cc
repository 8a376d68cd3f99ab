#include "client/measure/top_view.h"

#include "base/text.h"
#include "client/show/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace muster::client {
namespace {

std::vector<TopLine> help_lines(unsigned width, unsigned height) {
  static constexpr std::array<std::string_view, 16> kText = {
      "Keys of muster top",
      "",
      "q             quit",
      "h, ?          this help",
      "up, down      select another row; also Page Up, Page Down, Home, End",
      "space, Enter  fold or unfold the selected job or role",
      "left, right   fold, unfold",
      "N             sort by name",
      "P             sort by processor time",
      "M             sort by memory",
      "G             sort by GPU use",
      "S             sort by step",
      "R             reverse the order",
      "/             show only tasks whose name, host or state contains what you type",
      "Escape        show all again",
      "press any key to leave this help",
  };
  std::vector<TopLine> lines;
  for (const std::string_view text : kText) {
    if (lines.size() < height) {
      lines.push_back({.text = cut_to_columns(text, width)});
    }
  }
  return lines;
}

}  // namespace

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
    return "filter: " + outline_.filter() + "_   (Enter keeps it, Escape drops it)";
  }
  if (!note_.empty()) {
    return note_;
  }
  return (outline_.filter().empty() ? "" : "filter: " + outline_.filter() + "   ") +
         "q quit  h help  P cpu  M memory  N name  space fold  / filter";
}

std::vector<TopLine> TopView::screen(unsigned width, unsigned height) {
  if (helping_) {
    return help_lines(width, height);
  }
  const std::vector<TopRow> all = rows();
  const unsigned around = height >= 5 ? 3 : height >= 2 ? 1 : 0;  // Title, heads, foot.
  page_ = std::max(height - around, 1U);
  const auto marked = std::ranges::find(all, marked_, &TopRow::key);
  const size_t at = marked == all.end() ? 0 : static_cast<size_t>(marked - all.begin());
  marked_ = all.empty() ? "" : all[at].key;
  first_ = std::min(first_, all.size() > page_ ? all.size() - page_ : 0);
  first_ = std::clamp(first_, at >= page_ ? at - page_ + 1 : 0, at);
  const TopTable::Lines table = table_.lines(all, width, first_, page_);
  std::vector<TopLine> lines;
  if (around == 3) {
    lines.push_back(
        {.text = cut_to_columns(printable(title()), width), .style = TopLine::Style::Bold});
  }
  if (around > 0) {
    lines.push_back({.text = table.head, .style = TopLine::Style::Bold});
  }
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const size_t row = first_ + i;
    TopLine& line = lines.emplace_back(TopLine{.text = table.rows[i]});
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
  const std::vector<TopRow> all = rows();
  TopTable::Lines table = table_.lines(all, width, 0, all.size());
  std::vector<std::string> lines = std::move(table.rows);
  lines.insert(lines.begin(), std::move(table.head));
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
      outline_.set_filter("");
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
      outline_.sort_by(TopOutline::Sort::Name);
      break;
    case 'P':
      outline_.sort_by(TopOutline::Sort::Cpu);
      break;
    case 'M':
      outline_.sort_by(TopOutline::Sort::Memory);
      break;
    case 'G':
      outline_.sort_by(TopOutline::Sort::Gpu);
      break;
    case 'S':
      outline_.sort_by(TopOutline::Sort::Step);
      break;
    case 'R':
      outline_.reverse();
      break;
    case '/':
      typing_ = true;
      outline_.set_filter("");
      break;
    case ' ': {
      const std::vector<TopRow> all = rows();
      const auto row = std::ranges::find(all, marked_, &TopRow::key);
      fold(row == all.end() || row->level == TopRow::Level::Task || !row->folded);
      break;
    }
    default:
      break;
  }
  return true;
}

void TopView::type_filter(TopKey key) {
  constexpr size_t kFilterMax = 60;
  std::string filter = outline_.filter();
  if (key.kind == TopKey::Kind::Text && filter.size() < kFilterMax) {
    filter += key.text;
  } else if (key.kind == TopKey::Kind::Erase && !filter.empty()) {
    filter.pop_back();
  } else if (key.kind == TopKey::Kind::Enter) {
    typing_ = false;
  } else if (key.kind == TopKey::Kind::Escape) {
    typing_ = false;
    filter.clear();
  }
  outline_.set_filter(std::move(filter));
}

void TopView::move(int count) {
  const std::vector<TopRow> all = rows();
  if (all.empty()) {
    return;
  }
  const auto marked = std::ranges::find(all, marked_, &TopRow::key);
  const int64_t at = marked == all.end() ? 0 : marked - all.begin();
  const int64_t to = std::clamp<int64_t>(at + count, 0, static_cast<int64_t>(all.size()) - 1);
  marked_ = all[static_cast<size_t>(to)].key;
}

/// Folds or opens the marked row; for a task, folds what it belongs to.
void TopView::fold(bool folded) {
  std::string key = marked_;
  const std::vector<TopRow> all = rows();
  const auto row = std::ranges::find(all, key, &TopRow::key);
  if (row != all.end() && row->level == TopRow::Level::Task) {
    if (!folded) {
      return;
    }
    key.erase(key.rfind(':'));
    marked_ = key;
  }
  outline_.fold(key, folded);
}

}  // namespace muster::client
