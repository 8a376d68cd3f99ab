#pragma once

#include "base/time.h"
#include "rt/loop.h"

namespace muster::os {

/// Gives back those pages of this program's code and constants that are in memory for this process.
/// What still runs comes back from the page cache by itself, a microsecond a fault; what only the
/// start needed stays away. They cost the host nothing, but whoever adds up resident sizes (YARN
/// does, for a container's limit) counts them for each process. May be repeated; never fails.
void give_back_code_pages();

/// Does so while a process that lives long runs on its loop: a second after it is made, then ever
/// more rarely, down to once a minute.
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
