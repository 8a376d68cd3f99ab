"""The bed for jobs: three nodes that find their GPUs, as do their containers."""
# bed: yarn


def test_nodes_find_their_gpus(yarn_bed):
    nodes = yarn_bed.get("rm1.http", "/ws/v1/cluster/nodes")["nodes"]["node"]
    gpus = [kind["value"] for node in nodes
            for kind in node["availableResource"]["resourceInformations"]["resourceInformation"]
            if kind["name"] == "yarn.io/gpu"]
    assert gpus == [4, 4, 4]
    assert "Discovered GPU information" in yarn_bed.log("nm3")


def test_containers_find_an_nvidia_smi(yarn_bed, sleeper, tmp_path):
    sleeper(yarn_bed, first=f"nvidia-smi -L > {tmp_path}/gpus")
    gpus = (tmp_path / "gpus").read_text().splitlines()
    assert len(gpus) == 4
    assert all(gpu.startswith(f"GPU {index}: ") for index, gpu in enumerate(gpus))
