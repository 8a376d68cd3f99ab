#include "spec/view_text.h"

#include "base/text.h"
#include "spec/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace muster::spec {
namespace {

struct Word {
  std::string_view name;
  ViewFact fact;
};

/// Values of the task itself, or of the job.
constexpr std::array kOwn = {
    Word{"host", ViewFact::Host},
    Word{"port", ViewFact::Port},
    Word{"address", ViewFact::Address},
    Word{"role", ViewFact::Role},
    Word{"index", ViewFact::Index},
    Word{"rank", ViewFact::Rank},
    Word{"world_size", ViewFact::WorldSize},
    Word{"local_rank", ViewFact::LocalRank},
    Word{"local_size", ViewFact::LocalSize},
    Word{"cross_rank", ViewFact::CrossRank},
    Word{"cross_size", ViewFact::CrossSize},
    Word{"job", ViewFact::Job},
    Word{"generation", ViewFact::Generation},
    Word{"program", ViewFact::Program},
    Word{"interface", ViewFact::Interface},
};
/// Values of one task of a role.
constexpr std::array kOfTask = {
    Word{"host", ViewFact::Host},
    Word{"port", ViewFact::Port},
    Word{"address", ViewFact::Address},
};
/// Values of all tasks of a role.
constexpr std::array kOfRole = {
    Word{"count", ViewFact::Count},
    Word{"min", ViewFact::Min},
    Word{"hosts", ViewFact::Hosts},
    Word{"addresses", ViewFact::Addresses},
};

template <size_t N>
Result<ViewFact> fact_of(std::string_view name, const std::array<Word, N>& words,
                         std::string_view place, std::string_view before) {
  const auto found = std::ranges::find(words, name, &Word::name);
  if (found != words.end()) {
    return found->fact;
  }
  std::vector<std::string_view> names;
  for (const Word& word : words) {
    names.push_back(word.name);
  }
  const auto near = nearest(name, names);
  return user_error(fmt::format("`{{{}}}`: {} must be one of {}, not `{}`{}", place, before,
                                fmt::join(names, ", "), name,
                                near ? fmt::format("; did you mean `{}`?", *near) : ""));
}

std::optional<uint32_t> number_of(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

Result<ViewPlace> named_port(std::string_view place, ViewPlace found, std::string_view port) {
  if (const std::string wrong = wrong_port_name(port); !wrong.empty()) {
    return user_error(fmt::format("`{{{}}}`: {}", place, wrong));
  }
  found.fact = ViewFact::NamedPort;
  found.port = port;
  return found;
}

Result<ViewPlace> parse_place(std::string_view place) {
  constexpr std::string_view kPorts = "ports";
  const std::vector<std::string_view> parts = split(place, '.');
  ViewPlace found;
  if (parts.size() == 1) {
    MUSTER_TRY(found.fact, fact_of(parts[0], kOwn, place, "a place without a role"));
    return found;
  }
  if (parts.size() == 2 && parts[0] == kPorts) {
    return named_port(place, std::move(found), parts[1]);
  }
  if (const std::string wrong = wrong_role_name(parts[0]); !wrong.empty()) {
    return user_error(fmt::format("`{{{}}}`: {}", place, wrong));
  }
  found.role = parts[0];
  if (parts.size() == 2) {
    MUSTER_TRY(found.fact, fact_of(parts[1], kOfRole, place, "what follows a role"));
    return found;
  }
  found.index = number_of(parts[1]);
  if (!found.index) {
    return user_error(
        fmt::format("`{{{}}}`: what follows a role must be a task's index, as in {{{}.0.host}}, "
                    "not `{}`",
                    place, parts[0], parts[1]));
  }
  if (parts.size() == 4 && parts[2] == kPorts) {
    return named_port(place, std::move(found), parts[3]);
  }
  if (parts.size() != 3) {
    return user_error(
        fmt::format("`{{{}}}`: must be of the form {{ROLE.INDEX.host}}, {{ROLE.INDEX.ports.NAME}}, "
                    "{{ROLE.count}} or {{rank}}",
                    place));
  }
  MUSTER_TRY(found.fact, fact_of(parts[2], kOfTask, place, "what follows a task"));
  return found;
}

}  // namespace

Result<std::vector<ViewPiece>> parse_view_text(std::string_view text) {
  std::vector<ViewPiece> pieces(1);
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool doubled = at + 1 < text.size() && text[at + 1] == c;
    if ((c == '{' || c == '}') && doubled) {
      pieces.back().text += c;
      ++at;
    } else if (c == '}') {
      return user_error("a `}` without a `{`; write `}}` for a literal `}`");
    } else if (c == '{') {
      const size_t end = text.find_first_of("{}", at + 1);
      if (end == std::string_view::npos || text[end] == '{') {
        return user_error(
            fmt::format("`{}`: the `{{` is not closed; write `{{{{` for a literal `{{`",
                        text.substr(at, std::min(end, text.size()) - at)));
      }
      MUSTER_TRY(pieces.back().place, parse_place(text.substr(at + 1, end - at - 1)));
      pieces.emplace_back();
      at = end;
    } else {
      pieces.back().text += c;
    }
  }
  return pieces;
}

}  // namespace muster::spec
