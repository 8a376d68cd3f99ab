"""Jupyter kernels in the tasks of running jobs.

`TaskProvisioner` is a kernel provisioner of jupyter_client: the wheel registers it as
`muster-provisioner`. A kernel spec whose provisioner it is, with the configuration `{"job": ...,
"task": "worker:0"}`, starts its kernel in that task. `TaskKernels` is a manager of kernel specs
that has one for each task that runs now, beside those that are installed:

    jupyter lab --ServerApp.kernel_spec_manager_class=muster.jupyter.TaskKernels
"""

from muster.jupyter.provisioner import KernelError, TaskProvisioner
from muster.jupyter.specs import TaskKernels

__all__ = ["KernelError", "TaskKernels", "TaskProvisioner"]
