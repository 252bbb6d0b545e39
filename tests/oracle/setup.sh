#!/bin/bash
# setup.sh DIR [FRAMEWORK]: makes the oracle ready in a folder outside the repository (about 7 GB, some minutes).
# FRAMEWORK is one of those below; it needs gcc, g++, Python 3.10 to 3.13 and PyPI.
set -e
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:?usage: setup.sh DIR [FRAMEWORK]}
framework=${2:-torch-2.15/transformers-5.23}
# Headers of the CUDA runtime come with the last two.
common_2_6="accelerate==1.6.0 numpy==2.4.6 nvidia-cuda-nvcc-cu12==12.4.131 nvidia-cuda-cccl-cu12==12.4.127.post1 bitsandbytes==0.45.5 lion-pytorch==0.2.3"
case $framework in
torch-2.15/transformers-5.23) packages="flash-linear-attention==0.6.0 liger-kernel==0.8.5 torch==2.15.0 transformers==5.23.0 peft==0.21.2 accelerate==1.15.0 bitsandbytes==0.50.2 lion-pytorch==0.2.3 torchao==0.18.0 nvidia-cuda-crt" ;;
torch-2.11/transformers-5.23) packages="flash-linear-attention==0.6.0 liger-kernel==0.8.5 torch==2.11.0 transformers==5.23.0 peft==0.21.2 accelerate==1.15.0 bitsandbytes==0.50.2 lion-pytorch==0.2.3 torchao==0.18.0 nvidia-cuda-crt nvidia-cuda-cccl" ;;
torch-2.6/transformers-4.51) packages="torch==2.6.0 transformers==4.51.3 peft==0.15.2 flash-linear-attention==0.2.2 $common_2_6" ;;
torch-2.6/transformers-4.48) packages="torch==2.6.0 transformers==4.48.3 peft==0.13.2 $common_2_6" ;;
*) echo "unknown framework $framework"; exit 2 ;;
esac
mkdir -p "$dir"
cp -r "$here"/. "$dir"/
mkdir -p "$dir/configs"
cp "$here"/../../src/models/families/*/models/*.json "$dir/configs"
cd "$dir"
[ -d venv ] || "${PYTHON:-python3}" -m venv venv
venv/bin/pip install -q $packages
[ -n "$HIGHWATER_REAL_GPU" ] || bash fakecuda/build.sh
echo '{"v":1,"model":"smollm2-135m","micro_batch_size":2,"seq_len":128,"precision":"bf16","framework":"'"$framework"'"}' |
    ./run.sh cases.py && echo "ready: $dir"
