"""The page's program, around a model that counts; when started a second time, it continues."""

import os
import tempfile

os.environ.setdefault("MUSTER_CHECKPOINT_DIR", tempfile.mkdtemp())


class Model:
    def __init__(self):
        self.state = {"weight": 0}

    def state_dict(self):
        return dict(self.state)

    def load_state_dict(self, state):
        self.state = state


def begin(model):
    # THE BLOCK OF THE PAGE
    return start, save


first = Model()
begun, keep = begin(first)
assert begun == 0
first.state["weight"] = 7
keep(3)
second = Model()
begun, keep = begin(second)
assert (begun, second.state["weight"]) == (3, 7)
assert os.listdir(os.environ["MUSTER_CHECKPOINT_DIR"]) == ["model.pt"]
print("begun at", begun)
