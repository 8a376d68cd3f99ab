#pragma once

#include "app/cli.h"

#include <string>
#include <vector>

/// Words of a command line that its parser must not see as they are.
namespace muster::app {

/// Takes the words after the first `--` away from `words`: they belong to the job, whatever they
/// look like.
[[nodiscard]] std::vector<std::string> take_job_words(std::vector<std::string>& words);

/// Gives them to the command that has a job.
void put_words(Command& command, std::vector<std::string> words);

/// Writes options as this program does that Hadoop's shell has with one dash.
void take_hadoops_options(std::vector<std::string>& words);

}  // namespace muster::app
