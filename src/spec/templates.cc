#include "spec/templates.h"

#include "spec/template_files.h"

#include <algorithm>
#include <array>

namespace muster::spec {

std::span<const Template> templates() {
  static const std::array kTemplates = {
      Template{"minimal", "one command, two tasks, nothing else", template_files("minimal")},
      Template{"generic", "a server and its clients, connected by Muster's own variables",
               template_files("generic")},
      Template{"pytorch-ddp", "PyTorch with DistributedDataParallel and checkpoints",
               template_files("pytorch-ddp")},
      Template{"tensorflow-mirrored",
               "TensorFlow, all workers in step (MultiWorkerMirroredStrategy)",
               template_files("tensorflow-mirrored")},
      Template{"tensorflow-ps", "TensorFlow with a parameter server (ParameterServerStrategy)",
               template_files("tensorflow-ps")},
      Template{"horovod", "Horovod on TensorFlow, all ranks in step", template_files("horovod")},
      Template{"horovod-elastic", "Horovod's elastic mode: two to four ranks, as many as there are",
               template_files("horovod-elastic")},
      Template{"mpi", "Open MPI's mpirun over tasks, without ssh", template_files("mpi")},
      Template{"mxnet", "MXNet with a parameter server", template_files("mxnet")},
      Template{"xgboost", "XGBoost, all workers grow the same trees", template_files("xgboost")},
      Template{"ray", "a Ray cluster for one program", template_files("ray")},
      Template{"dask", "a Dask cluster for one program", template_files("dask")},
  };
  return kTemplates;
}

}  // namespace muster::spec
