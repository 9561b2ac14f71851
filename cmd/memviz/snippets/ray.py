# Train on Ray, then compare the memory of all ranks, even if training fails.
import subprocess
from pathlib import Path

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

# Where ranks write their snapshots, on the disk of each machine. There must be
# memviz, too. "memviz snippet ranks" shows how to record them.
SNAPSHOTS = "/local/snapshots"


def train():
    ...  # yours, such as TorchTrainer(...).fit()


@ray.remote(num_cpus=0)  # it waits for no processor that training still has
def digest(host):
    # Some KB for each rank, which Ray brings here: no shared disk is needed.
    command = ["memviz", "digest", "--host", host, SNAPSHOTS]
    done = subprocess.run(command, capture_output=True)
    return done.stdout, done.stderr.decode()


def digest_all(output):
    tasks = {}
    for node in ray.nodes():
        if node["Alive"]:
            here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            host = node["NodeManagerHostname"]
            task = digest.options(scheduling_strategy=here).remote(host)
            tasks[host] = task
    with Path(output).open("wb") as job:
        for host, task in tasks.items():
            try:
                lines, words = ray.get(task)
            except ray.exceptions.RayError as e:  # the machine is gone
                lines, words = b"", str(e)
            job.write(lines)
            print(host, words.strip())


ray.init()
try:
    train()
finally:
    digest_all("job.jsonl")
    subprocess.run(["memviz", "ranks", "job.jsonl", "-o", "job.html"])
