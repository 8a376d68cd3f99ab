#pragma once

#include "job/fact.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// The labelled corpus of real outputs, for the tests of this module.
namespace muster::verdict {

/// One file of the corpus: how a real program ended, what it said, and how that is classified.
struct Sample {
  std::string name;
  std::string label;
  job::Exit exit;
  std::string output;
};

[[nodiscard]] inline Sample read_sample(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Sample sample;
  sample.name = path.parent_path().filename().string() + "/" + path.stem().string();
  std::string line;
  while (std::getline(file, line) && line != "---") {
    const size_t colon = line.find(": ");
    const std::string key = line.substr(0, colon);
    const std::string value = line.substr(colon + 2);
    if (key == "class") {
      sample.label = value;
    } else if (key == "exit_code") {
      sample.exit.exit_code = std::stoi(value);
    } else if (key == "signal") {
      sample.exit.signal = std::stoi(value);
    }
  }
  std::stringstream rest;
  rest << file.rdbuf();
  sample.output = rest.str();
  return sample;
}

/// Returns all samples, by name.
[[nodiscard]] inline std::vector<Sample> read_corpus() {
  std::vector<Sample> samples;
  const std::filesystem::path root =
      std::filesystem::path(MUSTER_SOURCE_DIR) / "test/verdict/corpus";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".txt") {
      samples.push_back(read_sample(entry.path()));
    }
  }
  std::ranges::sort(samples, {}, &Sample::name);
  return samples;
}

}  // namespace muster::verdict
