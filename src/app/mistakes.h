#pragma once

#include "app/cli.h"

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace muster::app {

/// Says in one line what is wrong with a command line that `error` refused, with what was probably
/// meant. `words` are those before a `--`; `app` is the parser that read them.
[[nodiscard]] Printed explain_mistake(const CLI::App& app, const std::vector<std::string>& words,
                                      const CLI::ParseError& error);

/// Returns every name of a command's options: "-n", "--tasks".
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& command);

}  // namespace muster::app
