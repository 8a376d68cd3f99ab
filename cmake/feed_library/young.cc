// What libstdc++ takes from C libraries younger than glibc 2.17, for the feed library alone.

extern "C" {

/// Whether this process surely has one thread, which lets libstdc++ count references without
/// atomic instructions. A process that feeds has several.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): glibc's name.
extern const char __libc_single_threaded;
const char __libc_single_threaded = 0;
}
