#pragma once

#include "base/result.h"
#include "hadoop/configuration.h"
#include "hadoop/credentials.h"
#include "os/file/files.h"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::hadoop {

/// Reads one token file, of either format; errors name the file and what to do.
[[nodiscard]] Result<Credentials> read_token_file(os::Files& files,
                                                  const std::filesystem::path& path);

/// Writes a token file with mode 0600: readers see the old or the new one as a whole.
[[nodiscard]] Status write_token_file(os::Files& files, const std::filesystem::path& path,
                                      const Credentials& credentials,
                                      CredentialsFormat format = CredentialsFormat::Writable);

/// The token files that this process was given: those of hadoop.token.files, then
/// $HADOOP_TOKEN_FILE_LOCATION. Empty: none.
[[nodiscard]] Result<std::vector<std::filesystem::path>> token_files(
    const Configuration& configuration);

/// Returns the tokens of all of them; later ones replace earlier ones of the same alias. A file
/// that is named but missing is an error.
[[nodiscard]] Result<Credentials> load_credentials(os::Files& files,
                                                   const Configuration& configuration);

}  // namespace muster::hadoop
