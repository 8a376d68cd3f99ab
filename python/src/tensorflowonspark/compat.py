"""Differences between versions of TensorFlow, hidden from user code. Imports it on first use."""


def _tf():
    import tensorflow

    return tensorflow


def _before_2_1():
    return tuple(int(part) for part in _tf().__version__.split(".")[:2]) < (2, 1)


def export_saved_model(model, export_dir, is_chief=False):
    """Saves a Keras model as a SavedModel: the chief to `export_dir`, all others, which must take
    part if saving is collective, to a folder on their own host.
    """
    if _before_2_1():
        if is_chief:
            _tf().keras.experimental.export_saved_model(model, export_dir)
        return
    target = export_dir if is_chief else "worker_model"
    if hasattr(model, "export") and not _saves_in_tf_format(model):
        model.export(target)  # Keras 3: save() writes its own format only.
    else:
        model.save(target, save_format="tf")


def _saves_in_tf_format(model):
    module = type(model).save.__module__
    return not module.startswith("keras.src.models") or _keras_major() < 3


def _keras_major():
    import keras

    return int(keras.__version__.split(".")[0])


def disable_auto_shard(options):
    """Tells a tf.data.Options not to shard: every node has rows of its own already."""
    if _before_2_1():
        options.experimental_distribute.auto_shard = False
    else:
        policy = _tf().data.experimental.AutoShardPolicy.OFF
        options.experimental_distribute.auto_shard_policy = policy


def is_gpu_available():
    """Whether TensorFlow sees a GPU."""
    if _before_2_1():
        return _tf().test.is_built_with_cuda()
    return len(_tf().config.list_physical_devices("GPU")) > 0
