#pragma once

#include "client/measure/top_outline.h"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::client {

/// Puts rows into lines of a width: as many columns as there is room for. Pure.
class TopTable {
 public:
  /// `sparklines`: the terminal shows UTF-8; else plain letters.
  explicit TopTable(bool sparklines) : sparklines_(sparklines) {}

  struct Lines {
    std::string head;
    std::vector<std::string> rows;
  };
  /// The head and rows `first` to `first + count`; all rows decide which columns are shown.
  [[nodiscard]] Lines lines(const std::vector<TopRow>& rows, unsigned width, size_t first,
                            size_t count) const;

 private:
  struct Column;

  [[nodiscard]] static std::vector<Column> columns(const std::vector<TopRow>& rows, unsigned width);
  [[nodiscard]] std::string line_of(const TopRow& row, const std::vector<Column>& columns,
                                    size_t name_width) const;
  [[nodiscard]] static std::string head_of(const std::vector<Column>& columns, size_t name_width);
  [[nodiscard]] std::string spark(const std::vector<double>& history, size_t columns) const;

  bool sparklines_;
};

}  // namespace muster::client
