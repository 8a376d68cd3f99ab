#include "cluster/local/claims.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::cluster::local {
namespace {

constexpr size_t kClaimBytesMax = 1024;
constexpr size_t kClaimsMax = 10'000;
constexpr std::string_view kWaitingSuffix = ".waits";
constexpr mode_t kFolderMode = 01777;
constexpr int kLockTries = 500;
constexpr timespec kLockPause{0, 10'000'000};

std::string plural(uint32_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

uint64_t parse_number(std::string_view text, uint64_t largest) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::min(number, largest) : 0;
}

std::vector<uint32_t> parse_gpus(std::string_view text, const Capacity& capacity) {
  std::set<uint32_t> gpus;
  for (const std::string_view part : split(text, ',')) {
    const uint64_t index = part.empty() ? capacity.gpus : parse_number(part, capacity.gpus);
    if (index < capacity.gpus) {
      gpus.insert(static_cast<uint32_t>(index));
    }
  }
  return {gpus.begin(), gpus.end()};
}

Held parse_claim(std::string_view text, uint32_t owner, const Capacity& capacity) {
  std::map<std::string_view, std::string_view> values;
  for (const std::string_view line : split(text, '\n')) {
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      values.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
  }
  Held held;
  held.owner = owner;
  held.job = printable(values["job"].substr(0, 64));
  held.memory_bytes = parse_number(values["memory"], capacity.memory_bytes);
  held.vcores = static_cast<uint32_t>(parse_number(values["vcores"], 100'000));
  held.gpus = parse_gpus(values["gpus"], capacity);
  return held;
}

std::string claim_text(const Wanted& wanted, const std::vector<uint32_t>& gpus) {
  return fmt::format("job={}\ncontainer={}\nmemory={}\nvcores={}\ngpus={}\n", wanted.job,
                     wanted.container, wanted.share.memory_bytes, wanted.share.vcores,
                     fmt::join(gpus, ","));
}

/// How long ago a file was written; 0 if its clock is ahead.
Duration age_of(const struct stat& stat) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);  // lint: allow(clock) compared with the files' own times
  return std::max(Duration::zero(),
                  Duration(std::chrono::seconds(now.tv_sec - stat.st_mtim.tv_sec)));
}

struct flock whole_file(short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Tells whether another open file description holds a write lock on the file.
bool lock_is_held(int fd) {
  struct flock lock = whole_file(F_RDLCK);
  return ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

std::optional<std::string> read_small(int fd) {
  std::string text(kClaimBytesMax + 1, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  if (got < 0 || static_cast<size_t>(got) > kClaimBytesMax) {
    return std::nullopt;
  }
  text.resize(static_cast<size_t>(got));
  return text;
}

/// Opens the folder and locks it; lets go when the descriptor is closed.
Result<rt::Fd> lock_folder(const std::filesystem::path& folder) {
  rt::Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) {
    return system_error(errno, "the folder of claims cannot be opened: " + folder.string());
  }
  for (int tries = 0; tries < kLockTries; ++tries) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      return fd;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return system_error(errno, "the folder of claims cannot be locked: " + folder.string());
    }
    // lint: allow(sleep) flock has no deadline, and this thread no loop
    ::nanosleep(&kLockPause, nullptr);
  }
  return Error{Errc::DeadlineExceeded, Blame::Cluster,
               "another process has kept the folder of claims locked for 5 s: " + folder.string()};
}

Share sum_of(std::span<const Wanted> wanted) {
  Share sum;
  for (const Wanted& one : wanted) {
    sum.memory_bytes += one.share.memory_bytes;
    sum.vcores += one.share.vcores;
    sum.gpus += one.share.gpus;
  }
  return sum;
}

Share share_of(const Held& held) {
  return {held.memory_bytes, held.vcores, static_cast<uint32_t>(held.gpus.size())};
}

Share sum_of(std::span<const Held> held) {
  Share sum;
  for (const Held& one : held) {
    const Share share = share_of(one);
    sum.memory_bytes += share.memory_bytes;
    sum.vcores += share.vcores;
    sum.gpus += share.gpus;
  }
  return sum;
}

/// "digits-1 has 2 GiB, other-2 has 1 GiB": the jobs that hold most memory.
std::string holders(std::span<const Held> held) {
  std::map<std::string, uint64_t> by_job;
  for (const Held& one : held) {
    by_job[one.job] += one.memory_bytes;
  }
  std::vector<std::pair<std::string, uint64_t>> sorted(by_job.begin(), by_job.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < sorted.size() && i < 3; ++i) {
    text += fmt::format("{}{} has {}", i == 0 ? "; " : ", ", sorted[i].first,
                        format_bytes(sorted[i].second));
  }
  return text;
}

}  // namespace

Status ClaimFolder::open() const {
  if (::mkdir(folder_.c_str(), 0700) == 0) {
    // Beside the umask; others see the folder only as it is meant.
    if (::chmod(folder_.c_str(), kFolderMode) != 0) {
      return system_error(
          errno, "the folder of claims cannot be opened to all users: " + folder_.string());
    }
  } else if (errno != EEXIST) {
    return system_error(errno, "the folder of claims cannot be made: " + folder_.string());
  }
  struct stat stat{};
  if (::lstat(folder_.c_str(), &stat) != 0) {
    return system_error(errno, "the folder of claims: " + folder_.string());
  }
  const bool private_folder = stat.st_uid == ::geteuid() && (stat.st_mode & S_IWOTH) == 0;
  if (!S_ISDIR(stat.st_mode) || (!private_folder && (stat.st_mode & S_ISVTX) == 0)) {
    return Error{Errc::PermissionDenied, Blame::Cluster,
                 "the folder of claims must be a folder with the sticky bit (mode 1777): " +
                     folder_.string()};
  }
  return {};
}

Result<std::vector<Held>> ClaimFolder::list(const Capacity& capacity) const {
  MUSTER_TRY_STATUS(open());
  MUSTER_TRY(const rt::Fd folder, lock_folder(folder_));
  return scan(folder.get(), capacity, false).held;
}

ClaimFolder::Scan ClaimFolder::scan(int folder_fd, const Capacity& capacity, bool sweep) const {
  Scan found;
  const int listed = ::openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = listed < 0 ? nullptr : ::fdopendir(listed);
  if (entries == nullptr) {
    return found;
  }
  size_t seen = 0;
  for (const dirent* entry = ::readdir(entries); entry != nullptr && seen < kClaimsMax;
       entry = ::readdir(entries), ++seen) {
    const rt::Fd fd(
        ::openat(folder_fd, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat stat{};
    if (!fd.valid() || ::fstat(fd.get(), &stat) != 0 || !S_ISREG(stat.st_mode)) {
      continue;
    }
    if (!lock_is_held(fd.get())) {
      if (sweep && stat.st_uid == ::geteuid()) {
        ::unlinkat(folder_fd, entry->d_name, 0);
      }
      continue;
    }
    const std::optional<std::string> text = read_small(fd.get());
    if (!text) {
      continue;
    }
    Held one = parse_claim(*text, stat.st_uid, capacity);
    if (std::string_view(entry->d_name).ends_with(kWaitingSuffix)) {
      found.waiting.push_back({std::move(one), age_of(stat)});
    } else {
      found.held.push_back(std::move(one));
    }
  }
  ::closedir(entries);
  return found;
}

Result<std::vector<Claim>> ClaimFolder::take(const Capacity& capacity,
                                             std::span<const Wanted> wanted) const {
  MUSTER_TRY_STATUS(open());
  MUSTER_TRY(const rt::Fd folder, lock_folder(folder_));
  const auto [held, waiting] = scan(folder.get(), capacity, true);
  std::string missing = missing_now(capacity, held, wanted);
  if (missing.empty()) {
    missing = missing_turn(capacity, held, waiting, wanted);
  }
  if (!missing.empty()) {
    return Error{Errc::Unavailable, Blame::Cluster, std::move(missing)};
  }
  std::set<uint32_t> used;
  for (const Held& one : held) {
    used.insert(one.gpus.begin(), one.gpus.end());
  }
  std::vector<Claim> claims;
  for (const Wanted& one : wanted) {
    std::vector<uint32_t> gpus;
    for (uint32_t index = 0; index < capacity.gpus && gpus.size() < one.share.gpus; ++index) {
      if (used.insert(index).second) {
        gpus.push_back(index);
      }
    }
    Result<Claim> claim = write_claim(one, std::move(gpus));
    if (!claim.has_value()) {
      for (const Claim& taken : claims) {
        ::unlink(taken.file.c_str());
      }
      return std::move(claim).error();
    }
    claims.push_back(std::move(*claim));
  }
  return claims;
}

Result<Claim> ClaimFolder::queue(std::span<const Wanted> wanted) const {
  const Share sum = sum_of(wanted);
  std::vector<uint32_t> as_many_gpus(sum.gpus);
  std::iota(as_many_gpus.begin(), as_many_gpus.end(), 0U);
  return write_claim({wanted.front().job, std::string(kWaitingSuffix.substr(1)), sum},
                     std::move(as_many_gpus));
}

Result<Claim> ClaimFolder::write_claim(const Wanted& wanted, std::vector<uint32_t> gpus) const {
  Claim claim;
  claim.file = folder_ / fmt::format("{}.{}.{}", ::geteuid(), wanted.job, wanted.container);
  claim.gpus = std::move(gpus);
  claim.lock =
      rt::Fd(::open(claim.file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!claim.lock.valid()) {
    return system_error(errno, "the claim cannot be made: " + claim.file.string());
  }
  struct flock lock = whole_file(F_WRLCK);
  const std::string text = claim_text(wanted, claim.gpus);
  const bool written =
      ::fchmod(claim.lock.get(), 0644) == 0 &&
      ::write(claim.lock.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fcntl(claim.lock.get(), F_OFD_SETLK, &lock) == 0;
  if (!written) {
    const int error = errno;
    ::unlink(claim.file.c_str());
    return system_error(error, "the claim cannot be written: " + claim.file.string());
  }
  return claim;
}

bool ClaimFolder::is_held(const std::filesystem::path& file) {
  const rt::Fd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return fd.valid() && lock_is_held(fd.get());
}

std::string missing_now(const Capacity& capacity, std::span<const Held> held,
                        std::span<const Wanted> wanted) {
  const Share used = sum_of(held);
  const Share ask = sum_of(wanted);
  const uint64_t memory_free =
      capacity.memory_bytes - std::min(capacity.memory_bytes, used.memory_bytes);
  if (ask.memory_bytes > memory_free) {
    return fmt::format("{} of memory on this machine: {} of {} are free{}",
                       format_bytes(ask.memory_bytes), format_bytes(memory_free),
                       format_bytes(capacity.memory_bytes), holders(held));
  }
  const uint32_t gpus_free = capacity.gpus - std::min(capacity.gpus, used.gpus);
  if (ask.gpus > gpus_free) {
    return fmt::format("{} on this machine: {} of {} free{}", plural(ask.gpus, "GPU"), gpus_free,
                       capacity.gpus, holders(held));
  }
  const uint32_t cores_free = capacity.cores - std::min(capacity.cores, used.vcores);
  if (capacity.strict_vcores && ask.vcores > cores_free) {
    return fmt::format("{} on this machine: {} of {} free{}", plural(ask.vcores, "core"),
                       cores_free, capacity.cores, holders(held));
  }
  return "";
}

std::string missing_turn(const Capacity& capacity, std::span<const Held> held,
                         std::span<const Waiting> waiting, std::span<const Wanted> wanted) {
  const std::string& job = wanted.front().job;
  if (std::ranges::find(held, job, &Held::job) != held.end()) {
    return "";  // It has a part already, which those who wait may be waiting for.
  }
  const auto own =
      std::ranges::find(waiting, job, [](const Waiting& each) { return each.what.job; });
  const Duration waited = own == waiting.end() ? Duration::zero() : own->waited;
  std::vector<Held> ahead(held.begin(), held.end());
  for (const Waiting& other : waiting) {
    const Wanted its{other.what.job, "", share_of(other.what)};
    const bool may_hold_back = other.what.job != job && other.waited > waited &&
                               other.waited >= kTurnAfter && other.waited / kTurn % 2 == 0 &&
                               missing_now(capacity, {}, {&its, 1}).empty();
    if (!may_hold_back) {
      continue;
    }
    ahead.push_back(other.what);
    if (!missing_now(capacity, ahead, wanted).empty()) {
      return fmt::format("its turn: {} has waited longer, for {} of memory{}", other.what.job,
                         format_bytes(its.share.memory_bytes),
                         its.share.gpus > 0 ? " and " + plural(its.share.gpus, "GPU") : "");
    }
  }
  return "";
}

std::string missing_ever(const Capacity& capacity, const Share& share) {
  if (share.memory_bytes > capacity.memory_bytes) {
    return fmt::format("{} of memory are asked for; this machine has {}",
                       format_bytes(share.memory_bytes), format_bytes(capacity.memory_bytes));
  }
  if (share.gpus > capacity.gpus) {
    return fmt::format("{} asked for; this machine has {}",
                       plural(share.gpus, "GPU") + (share.gpus == 1 ? " is" : " are"),
                       capacity.gpus == 0 ? std::string("none") : std::to_string(capacity.gpus));
  }
  if (capacity.strict_vcores && share.vcores > capacity.cores) {
    return fmt::format("{} vcores are asked for with strict_vcores; this machine has {}",
                       share.vcores, plural(capacity.cores, "core"));
  }
  return "";
}

}  // namespace muster::cluster::local
