"""GPUs that exist only as a count: an `nvidia-smi` for a node manager and its containers, with no
device behind it."""

MODEL = "NVIDIA of the bed"
MEMORY_MIB = 16384
DRIVER = "550.00"

SCRIPT = """\
#!/bin/sh
case "$*" in
-L) cat <<'END'
{listed}
END
;;
*-x*) cat <<'END'
{xml}
END
;;
--query-gpu=index,uuid,name,memory.total*) cat <<'END'
{table}
END
;;
*) echo "nvidia-smi of the bed: it does not know: $*" >&2; exit 1 ;;
esac
"""

XML = """\
<gpu id="{bus}"><product_name>{model}</product_name><uuid>{uuid}</uuid>\
<minor_number>{index}</minor_number>
<fb_memory_usage><total>{memory} MiB</total><used>0 MiB</used><free>{memory} MiB</free>\
</fb_memory_usage>
<utilization><gpu_util>0 %</gpu_util></utilization>
<temperature><gpu_temp>40 C</gpu_temp><gpu_temp_max_threshold>95 C</gpu_temp_max_threshold>\
<gpu_temp_slow_threshold>90 C</gpu_temp_slow_threshold></temperature></gpu>"""


def write(path, host, count):
    """Writes the program; no two hosts have a GPU in common."""
    gpus = [{"index": index, "bus": f"00000000:0{index + 1}:00.0", "model": MODEL,
             "memory": MEMORY_MIB, "uuid": f"GPU-{host}-{index}"} for index in range(count)]
    each = "\n".join(XML.format(**gpu) for gpu in gpus)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SCRIPT.format(
        listed="\n".join("GPU {index}: {model} (UUID: {uuid})".format(**gpu) for gpu in gpus),
        xml=f"<?xml version=\"1.0\" ?>\n<nvidia_smi_log><driver_version>{DRIVER}</driver_version>\n"
            f"<attached_gpus>{count}</attached_gpus>\n{each}\n</nvidia_smi_log>",
        table="\n".join("{index}, {uuid}, {model}, {memory}".format(**gpu) for gpu in gpus)))
    path.chmod(0o755)
