"""The package that programs written for TensorFlowOnSpark import, on Muster."""

import logging

# Programs count on it: their own INFO lines show up without any set-up.
logging.basicConfig(
    level=logging.INFO, format="%(asctime)s %(levelname)s (%(threadName)s-%(process)d) %(message)s"
)

__version__ = "2.2.5"
