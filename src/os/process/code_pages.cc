#include "os/process/code_pages.h"

#include <algorithm>
#include <cstdint>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace muster::os {
namespace {

constexpr Duration kPauseMax = std::chrono::minutes(1);

/// Only segments that were never writable: dropping a page that was changed would lose the change.
int give_back(dl_phdr_info* info, size_t /*size*/, void* /*data*/) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) {
      continue;
    }
    const uintptr_t begin = (info->dlpi_addr + segment.p_vaddr) / page * page;
    const uintptr_t end = (info->dlpi_addr + segment.p_vaddr + segment.p_filesz) / page * page;
    if (begin < end) {
      // An address that the kernel reported, not that of an object.
      ::madvise(reinterpret_cast<void*>(begin),  // NOLINT(performance-no-int-to-ptr)
                end - begin, MADV_DONTNEED);
    }
  }
  return 1;  // The program itself comes first; libraries are shared with other processes.
}

}  // namespace

void give_back_code_pages() { ::dl_iterate_phdr(give_back, nullptr); }

CodePages::CodePages(rt::Loop& loop) : loop_(loop) { give_back_later(); }

CodePages::~CodePages() { loop_.cancel(timer_); }

void CodePages::give_back_later() {
  timer_ = loop_.call_after(pause_, [this] {
    give_back_code_pages();
    pause_ = std::min(2 * pause_, kPauseMax);
    give_back_later();
  });
}

}  // namespace muster::os
