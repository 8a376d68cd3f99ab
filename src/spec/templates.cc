#include "spec/templates.h"

#include "spec/template_files.h"

#include <algorithm>
#include <array>

namespace muster::spec {

std::span<const Template> templates() {
  static const std::array kTemplates = {
      Template{"minimal", "one command, two tasks, nothing else", minimal_files()},
      Template{"generic", "a server and its clients, wired by Muster's own variables",
               generic_files()},
      Template{"pytorch-ddp", "PyTorch, DistributedDataParallel, with checkpoints",
               pytorch_ddp_files()},
      Template{"tensorflow-mirrored",
               "TensorFlow, every worker in step (MultiWorkerMirroredStrategy)",
               tensorflow_mirrored_files()},
      Template{"tensorflow-ps", "TensorFlow with a parameter server (ParameterServerStrategy)",
               tensorflow_ps_files()},
  };
  return kTemplates;
}

const Template* find_template(std::string_view name) {
  const auto found = std::ranges::find(templates(), name, &Template::name);
  return found == templates().end() ? nullptr : &*found;
}

}  // namespace muster::spec
