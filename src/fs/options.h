#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::fs {

enum class Verb : uint8_t { Ls, Cat, Put, Get, Rm, Mkdir, Mv, Stat };

/// One command, as the user typed it.
struct Options {
  Verb verb = Verb::Ls;
  std::vector<std::string> paths;  ///< In order; the target of put, get and mv is the last.
  std::string conf;                ///< The folder of core-site.xml; empty: looked for.
  bool recursive = false;          ///< ls -R, rm -r
  bool directory = false;          ///< ls -d: the folder itself.
  bool human = false;              ///< ls -h: 1.5 GiB instead of bytes.
  bool force = false;              ///< put -f, get -f: overwrite; rm -f: missing is success.
  bool parents = false;            ///< mkdir -p
  bool skip_trash = false;         ///< rm --skip-trash
  bool quiet = false;              ///< put -q, get -q: no progress.
  bool json = false;
};

}  // namespace muster::fs
