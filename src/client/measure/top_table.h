#pragma once

#include "client/measure/top_outline.h"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::client {

/// Lays rows out as lines of a given width, with as many columns as fit. Pure.
class TopTable {
 public:
  /// `sparklines`: the terminal shows UTF-8; otherwise plain letters.
  explicit TopTable(bool sparklines) : sparklines_(sparklines) {}

  struct Lines {
    std::string head;
    std::vector<std::string> rows;
  };
  /// Returns the header and `count` rows from `first` on; all rows determine which columns are
  /// shown.
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
