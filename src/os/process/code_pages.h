#pragma once

#include "base/time.h"
#include "rt/loop.h"

namespace muster::os {

/// Gives back the resident pages of this program's code and constants. What still runs comes back
/// from the page cache, at a microsecond a fault; what only startup needed stays away. The pages
/// cost the host nothing, but whoever adds up resident sizes (YARN does, for a container's limit)
/// counts them for each process. May be repeated; never fails.
void give_back_code_pages();

/// Calls give_back_code_pages() while a long-lived process runs on its loop: a second after it is
/// made, then at growing intervals, up to once a minute.
class CodePages {
 public:
  explicit CodePages(rt::Loop& loop);
  ~CodePages();
  CodePages(const CodePages&) = delete;
  CodePages& operator=(const CodePages&) = delete;

 private:
  void give_back_later();

  rt::Loop& loop_;
  rt::TimerId timer_{};
  Duration pause_ = std::chrono::seconds(1);
};

}  // namespace muster::os
