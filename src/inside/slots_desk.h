#pragma once

#include "base/result.h"
#include "inside/door.h"
#include "os/file/watch.h"
#include "rt/accept_watch.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/scope.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace muster::inside {

/// Tells the ranks of a Horovod job which slots their driver has dealt: waits until the driver has
/// left a whole file PORT____HOROVOD_RENDEZVOUS_SERVER____ in a folder, and answers then each
/// connection from a host of the job with the port and the number of bytes that follow, on a line,
/// and the file. Who asks earlier waits.
///
/// Lives on its loop's thread.
class SlotsDesk {
 public:
  /// `listening`: a socket that listens, non-blocking. `folder`: where the driver leaves its file;
  /// it must exist.
  SlotsDesk(rt::IoLoop& loop, rt::Fd listening, Door door, std::filesystem::path folder);
  SlotsDesk(const SlotsDesk&) = delete;
  SlotsDesk& operator=(const SlotsDesk&) = delete;

  /// Begins to look for the file. An error says why the folder cannot be watched.
  [[nodiscard]] Status open();

 private:
  void look();
  void begin_to_tell(std::string told);
  void accept_some();
  /// Tells one rank.
  [[nodiscard]] rt::Async<> tell(rt::Fd socket);

  rt::IoLoop& loop_;
  rt::Fd listening_;
  Door door_;
  std::filesystem::path folder_;
  std::string told_;  ///< Once it is known; does not change any more.
  std::unique_ptr<os::FileWatch> folder_watch_;
  std::map<std::filesystem::path, std::unique_ptr<os::FileWatch>> file_watches_;
  rt::Scope telling_;
  std::optional<rt::AcceptWatch> accepting_;  ///< Last: it uses all of the above.
};

}  // namespace muster::inside
