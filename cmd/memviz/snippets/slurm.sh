#!/bin/bash
# Train on Slurm, then compare the memory of all ranks, even if training fails.
# Submit it with: sbatch train.sh
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=8
#SBATCH --time=01:00:00

# Yours: the command that a rank runs, and where it writes its snapshots: a disk
# of its machine will do. "memviz snippet ranks" shows how to record them.
TRAIN='python train.py'
SNAPSHOTS='/local/snapshots'

# What comes out. All machines must see this directory.
OUT="$SLURM_SUBMIT_DIR/memviz-$SLURM_JOB_ID"
mkdir -p "$OUT"

# No "set -e" here: what follows is wanted most when training fails. And when
# one rank fails, the others must not be killed before they have written theirs.
srun --kill-on-bad-exit=0 bash -c "$TRAIN"
status=$?

# One task on each machine reads what lies there. A rank becomes some KB.
srun --ntasks="$SLURM_NNODES" --ntasks-per-node=1 bash -c "
  memviz digest --host \$SLURMD_NODENAME \
    -o $OUT/\$SLURMD_NODENAME.jsonl.gz $SNAPSHOTS"

# Digests are joined by cat. The page works offline: copy it and open it.
cat "$OUT"/*.jsonl.gz > "$OUT.jsonl.gz"
memviz ranks "$OUT.jsonl.gz" -o "$OUT.html"
exit $status
