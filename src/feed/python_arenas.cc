#include "feed/python_arenas.h"

#include <mutex>
#include <new>

// NOLINTBEGIN(readability-identifier-naming): the names are CPython's. Not part of the stable
// interface, but present and unchanged since 3.4; weak, because the feed can do without.
extern "C" {
struct PyObjectArenaAllocator {
  void* ctx;
  void* (*alloc)(void* ctx, size_t size);
  void (*free)(void* ctx, void* memory, size_t size);
};
[[gnu::weak]] void PyObject_GetArenaAllocator(PyObjectArenaAllocator* allocator);
[[gnu::weak]] void PyObject_SetArenaAllocator(PyObjectArenaAllocator* allocator);
}
// NOLINTEND(readability-identifier-naming)

namespace muster::feed {
namespace {

/// Sits between Python and its arena allocator; lives as long as the process.
class KeptArenas {
 public:
  KeptArenas(PyObjectArenaAllocator source, size_t most) : source_(source), most_(most) {}

  static void* alloc(void* self, size_t size) { return static_cast<KeptArenas*>(self)->get(size); }
  static void free(void* self, void* memory, size_t size) {
    static_cast<KeptArenas*>(self)->put(memory, size);
  }

 private:
  /// At the start of an unused arena.
  struct Free {
    Free* next;
  };

  void* get(size_t size) {
    {
      const std::scoped_lock lock(mutex_);
      if (first_ != nullptr && size == size_) {
        Free* const kept = first_;
        first_ = kept->next;
        bytes_ -= size;
        return kept;
      }
    }
    return source_.alloc(source_.ctx, size);
  }

  void put(void* memory, size_t size) {
    {
      const std::scoped_lock lock(mutex_);
      if (first_ == nullptr) {
        size_ = size;  // The same for all arenas of a process.
      }
      if (size == size_ && size >= sizeof(Free) && bytes_ + size <= most_) {
        first_ = new (memory) Free{.next = first_};
        bytes_ += size;
        return;
      }
    }
    source_.free(source_.ctx, memory, size);
  }

  const PyObjectArenaAllocator source_;
  const size_t most_;
  std::mutex mutex_;  // Interpreters with their own locks share the allocator.
  Free* first_ = nullptr;
  size_t size_ = 0;
  size_t bytes_ = 0;
};

}  // namespace

void keep_arenas(size_t most) {
  if (&PyObject_GetArenaAllocator == nullptr || &PyObject_SetArenaAllocator == nullptr) {
    return;
  }
  PyObjectArenaAllocator now{};
  PyObject_GetArenaAllocator(&now);
  if (now.alloc == KeptArenas::alloc) {
    return;
  }
  PyObjectArenaAllocator kept{
      .ctx = new KeptArenas(now, most), .alloc = KeptArenas::alloc, .free = KeptArenas::free};
  PyObject_SetArenaAllocator(&kept);
}

}  // namespace muster::feed
