// glibc's name services load shared libraries of the host at run time, which a static program
// cannot do safely: the versions may differ. OpenSSL and c-ares mention these functions, and
// dlopen, on paths that muster never takes (names are resolved by c-ares over sockets). Defining
// them here keeps that whole part of glibc out of the program, whatever the environment says
// (OPENSSL_CONF could name an engine), and anything that took such a path by mistake would get a
// plain failure.

#include <cerrno>
#include <dlfcn.h>
#include <netdb.h>

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): signatures of POSIX and glibc.

// lint: allow(nss) refuses
int getaddrinfo(const char*, const char*, const addrinfo*, addrinfo** result) {
  *result = nullptr;
  return EAI_FAIL;
}

void freeaddrinfo(addrinfo*) noexcept {}

// lint: allow(nss) refuses
int getnameinfo(const sockaddr*, socklen_t, char*, socklen_t, char*, socklen_t, int) {
  return EAI_FAIL;
}

// lint: allow(nss) refuses
hostent* gethostbyname(const char*) { return nullptr; }

// lint: allow(nss) refuses
servent* getservbyname(const char*, const char*) { return nullptr; }

// lint: allow(nss) refuses
int getservbyname_r(const char*, const char*, servent*, char*, size_t, servent** result) {
  *result = nullptr;
  return ENOENT;
}

// lint: allow(nss) refuses
int getservbyport_r(int, const char*, servent*, char*, size_t, servent** result) {
  *result = nullptr;
  return ENOENT;
}

// lint: allow(nss) refuses
void* dlopen(const char*, int) noexcept { return nullptr; }

void* dlsym(void*, const char*) noexcept { return nullptr; }

int dlclose(void*) noexcept { return -1; }

int dladdr(const void*, Dl_info*) noexcept { return 0; }

char* dlerror() noexcept {
  static char text[] = "a static program loads no libraries";
  return text;
}

// NOLINTEND(readability-identifier-naming)

}  // extern "C"
