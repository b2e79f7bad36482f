#!/bin/sh
#SBATCH --job-name=train
#SBATCH --account=research/vision --partition=gpu
#SBATCH --nodes=2 --gres=gpu:h100:8
#SBATCH --cpus-per-task=8 --mem=16G --time=00:10:00
#SBATCH --mail-type=END
#HR kind: training
echo "rank $HEADROOM_RANK of $HEADROOM_TASKS"
