#include "cluster/local/claims.h"

#include "base/text.h"
#include "cluster/local/user_folders.h"
#include "job/describe.h"

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
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace muster::cluster::local {
namespace {

constexpr size_t kClaimBytesMax = 1024;
constexpr size_t kClaimsMax = 10'000;  // Of one user.
constexpr std::string_view kWaitingSuffix = ".waits";

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

/// Returns how long ago a file was written; 0 if its clock is ahead.
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

/// Returns whether another open file description holds a write lock on the file.
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

/// Returns "digits-1 has 2 GiB, other-2 has 1 GiB": the jobs that hold the most memory.
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

/// When a claim first became readable by all, as recorded by the kernel.
using ChangeTime = std::pair<time_t, long>;

ChangeTime change_time_of(const struct stat& stat) {
  return {stat.st_ctim.tv_sec, stat.st_ctim.tv_nsec};
}

/// Writes a locked claim. Others can open it only once it is locked: a process that locked it
/// before us, even just for reading, would keep us from it.
Result<Claim> write_claim(const UserFolder& own, const Wanted& wanted, std::vector<uint32_t> gpus) {
  Claim claim;
  claim.file = own.path / fmt::format("{}.{}.{}", ::geteuid(), wanted.job, wanted.container);
  claim.gpus = std::move(gpus);
  claim.lock =
      rt::Fd(::open(claim.file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!claim.lock.valid()) {
    return system_error(errno, "cannot create the claim: " + claim.file.string());
  }
  struct flock lock = whole_file(F_WRLCK);
  const std::string text = claim_text(wanted, claim.gpus);
  const bool written =
      ::write(claim.lock.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fcntl(claim.lock.get(), F_OFD_SETLK, &lock) == 0 && ::fchmod(claim.lock.get(), 0644) == 0;
  if (!written) {
    const int error = errno;
    ::unlink(claim.file.c_str());
    return system_error(error, "cannot write the claim: " + claim.file.string());
  }
  return claim;
}

void give_back(std::span<const Claim> claims) {
  for (const Claim& claim : claims) {
    ::unlink(claim.file.c_str());
  }
}

}  // namespace

struct ClaimFolder::Scan {
  std::vector<Held> held;
  std::vector<Waiting> waiting;
  std::vector<ChangeTime> changed;           ///< Of each in `held`.
  std::vector<std::filesystem::path> files;  ///< Of each in `held`.
};

Status ClaimFolder::open() const {
  MUSTER_TRY(const UserFolder own, open_own_folder(stem_));
  return {};
}

std::vector<std::filesystem::path> ClaimFolder::folders() const {
  std::vector<std::filesystem::path> paths;
  for (const UserFolder& folder : list_user_folders(stem_)) {
    paths.push_back(folder.path);
  }
  return paths;
}

Result<std::vector<Held>> ClaimFolder::list(const Capacity& capacity) const {
  return scan(capacity, false).held;
}

ClaimFolder::Scan ClaimFolder::scan(const Capacity& capacity, bool sweep) const {
  Scan found;
  for (const UserFolder& folder : list_user_folders(stem_)) {
    const int listed = ::openat(folder.fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const entries = listed < 0 ? nullptr : ::fdopendir(listed);
    if (entries == nullptr) {
      continue;
    }
    size_t seen = 0;
    for (const dirent* entry = ::readdir(entries); entry != nullptr && seen < kClaimsMax;
         entry = ::readdir(entries), ++seen) {
      const rt::Fd fd(
          ::openat(folder.fd.get(), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      struct stat stat{};
      if (!fd.valid() || ::fstat(fd.get(), &stat) != 0 || !S_ISREG(stat.st_mode) ||
          stat.st_uid != folder.owner) {
        continue;
      }
      if (!lock_is_held(fd.get())) {
        if (sweep && folder.owner == ::geteuid() && std::string_view(entry->d_name) != "lock") {
          ::unlinkat(folder.fd.get(), entry->d_name, 0);
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
        found.changed.push_back(change_time_of(stat));
        found.files.push_back(folder.path / entry->d_name);
      }
    }
    ::closedir(entries);
  }
  return found;
}

/// Checks again once our claims are visible: returns whether they collide with claims of others
/// that are no younger. Of two jobs, at least the one that wrote later sees the other.
bool ClaimFolder::is_taken_already(const Capacity& capacity, std::span<const Wanted> wanted,
                                   std::span<const Claim> claims) const {
  ChangeTime ours{};
  std::set<uint32_t> gpus;
  for (const Claim& claim : claims) {
    struct stat stat{};
    if (::fstat(claim.lock.get(), &stat) != 0) {
      return true;
    }
    ours = std::max(ours, change_time_of(stat));
    gpus.insert(claim.gpus.begin(), claim.gpus.end());
  }
  const Scan again = scan(capacity, false);
  std::vector<Held> before;
  for (size_t i = 0; i < again.held.size(); ++i) {
    const bool own = std::ranges::find(claims, again.files[i], &Claim::file) != claims.end();
    if (!own && again.changed[i] <= ours) {
      before.push_back(again.held[i]);
    }
  }
  const bool same_gpu = std::ranges::any_of(before, [&gpus](const Held& held) {
    return std::ranges::any_of(held.gpus, [&gpus](uint32_t gpu) { return gpus.contains(gpu); });
  });
  return same_gpu || !missing_now(capacity, before, wanted).empty();
}

Result<std::vector<Claim>> ClaimFolder::take(const Capacity& capacity,
                                             std::span<const Wanted> wanted) const {
  MUSTER_TRY(const UserFolder own, open_own_folder(stem_));
  MUSTER_TRY(const rt::Fd lock, lock_own_folder(own));
  const Scan found = scan(capacity, true);
  std::string missing = missing_now(capacity, found.held, wanted);
  if (missing.empty()) {
    missing = missing_turn(capacity, found.held, found.waiting, wanted);
  }
  if (!missing.empty()) {
    return Error{Errc::Unavailable, Blame::Cluster, std::move(missing)};
  }
  std::set<uint32_t> used;
  for (const Held& one : found.held) {
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
    Result<Claim> claim = write_claim(own, one, std::move(gpus));
    if (!claim.has_value()) {
      give_back(claims);
      return std::move(claim).error();
    }
    claims.push_back(std::move(*claim));
  }
  if (is_taken_already(capacity, wanted, claims)) {
    give_back(claims);
    return Error{Errc::Unavailable, Blame::Cluster,
                 "what another user's job took at the same moment"};
  }
  return claims;
}

Result<Claim> ClaimFolder::queue(std::span<const Wanted> wanted) const {
  MUSTER_TRY(const UserFolder own, open_own_folder(stem_));
  const Share sum = sum_of(wanted);
  std::vector<uint32_t> as_many_gpus(sum.gpus);
  std::iota(as_many_gpus.begin(), as_many_gpus.end(), 0U);
  return write_claim(own, {wanted.front().job, std::string(kWaitingSuffix.substr(1)), sum},
                     std::move(as_many_gpus));
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
    return fmt::format("{} on this machine: {} of {} free{}", job::count_of(ask.gpus, "GPU"),
                       gpus_free, capacity.gpus, holders(held));
  }
  const uint32_t cores_free = capacity.cores - std::min(capacity.cores, used.vcores);
  if (capacity.strict_vcores && ask.vcores > cores_free) {
    return fmt::format("{} on this machine: {} of {} free{}", job::count_of(ask.vcores, "core"),
                       cores_free, capacity.cores, holders(held));
  }
  return "";
}

std::string missing_turn(const Capacity& capacity, std::span<const Held> held,
                         std::span<const Waiting> waiting, std::span<const Wanted> wanted) {
  const std::string& job = wanted.front().job;
  if (std::ranges::find(held, job, &Held::job) != held.end()) {
    return "";  // It already holds claims, which those in line may be waiting for.
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
                         its.share.gpus > 0 ? " and " + job::count_of(its.share.gpus, "GPU") : "");
    }
  }
  return "";
}

std::string missing_ever(const Capacity& capacity, const Share& share) {
  if (share.memory_bytes > capacity.memory_bytes) {
    return fmt::format("{} of memory requested; this machine has {}",
                       format_bytes(share.memory_bytes), format_bytes(capacity.memory_bytes));
  }
  if (share.gpus > capacity.gpus) {
    return fmt::format("{} requested; this machine has {}",
                       job::count_of(share.gpus, "GPU") + (share.gpus == 1 ? " is" : " are"),
                       capacity.gpus == 0 ? std::string("none") : std::to_string(capacity.gpus));
  }
  if (capacity.strict_vcores && share.vcores > capacity.cores) {
    return fmt::format("{} vcores requested with strict_vcores; this machine has {}", share.vcores,
                       job::count_of(capacity.cores, "core"));
  }
  return "";
}

}  // namespace muster::cluster::local
