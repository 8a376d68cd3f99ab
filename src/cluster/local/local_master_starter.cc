#include "cluster/local/local_master_starter.h"

#include "cluster/local/job_lock.h"
#include "cluster/master_place_file.h"
#include "os/process/start_request.h"

#include <cerrno>
#include <fcntl.h>
#include <string>

namespace muster::cluster::local {
namespace {}  // namespace

Result<MasterSought> LocalMasterStarter::seek() {
  MasterSought sought;
  if (files_.exists(options_.folder.summary()) || !files_.exists(options_.folder.root())) {
    sought.kind = MasterSought::Kind::Over;
    return sought;
  }
  Result<rt::Fd> lock = take_job_lock(options_.folder.master_lock());
  if (!lock.has_value() && lock.error().code == Errc::AlreadyExists) {
    sought.kind = MasterSought::Kind::Alive;
    const Result<std::string> text =
        files_.read(options_.folder.master_place(), kMasterPlaceBytesMax);
    if (text.has_value()) {
      const Result<MasterPlaceFile> place = parse_master_place(*text);
      sought.address = place.has_value() ? place->address : "";
    }
    return sought;
  }
  if (!lock.has_value()) {
    return std::move(lock).error();
  }
  const std::filesystem::path log_path = options_.folder.master_log();
  const rt::Fd log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) {
    return system_error(errno, "cannot open the master's log: " + log_path.string());
  }
  os::StartRequest request;
  request.argv = {options_.program.string(),       "master",    "--job",
                  options_.folder.root().string(), "--lock-fd", std::to_string(kMasterLockFd)};
  request.fds = {lock->get()};
  request.output_fd = log.get();
  MUSTER_TRY_STATUS(os::send_start_request(options_.start_socket, request));
  sought.kind = MasterSought::Kind::Started;
  return sought;
}

}  // namespace muster::cluster::local
