#pragma once

#include "base/result.h"
#include "rt/fd.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace muster::cluster::local {

/// One user's folder of claims.
struct UserFolder {
  std::filesystem::path path;
  uint32_t owner = 0;  ///< User id, from the file system.
  rt::Fd fd;
};

/// Lists the claim folders of all users: "STEM.UID.RANDOM", owned by that user and writable by
/// nobody else. Lookalikes are skipped: anybody may create files beside them. At most
/// kUserFoldersMax of each user, the first by name.
[[nodiscard]] std::vector<UserFolder> list_user_folders(const std::filesystem::path& stem);
inline constexpr size_t kUserFoldersMax = 4;

/// Opens this user's own folder; makes it if there is none. Its name is unpredictable, so that
/// nobody else can take it first.
[[nodiscard]] Result<UserFolder> open_own_folder(const std::filesystem::path& stem);

/// Takes the lock between this user's jobs, which no other user can open; released when the
/// descriptor closes. DeadlineExceeded if another process has held it for 5 s.
[[nodiscard]] Result<rt::Fd> lock_own_folder(const UserFolder& own);

}  // namespace muster::cluster::local
