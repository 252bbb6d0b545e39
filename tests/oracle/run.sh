#!/bin/bash
# run.sh SCRIPT ARGS: Python of this folder's environment; on a machine without a GPU with the stubbed CUDA runtime.
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "$HIGHWATER_REAL_GPU" ]; then
    export LD_PRELOAD="$here/fakecuda/libfakecuda.so $here/fakecuda/libnvidia-ml.so.1"
fi
script=$1; shift
exec "$here/venv/bin/python" "$here/$script" "$@"
