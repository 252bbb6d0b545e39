#!/bin/bash
# Builds libfakecuda.so, with a stub for each CUDA symbol that the installed torch wheel needs, and libnvidia-ml.so.1.
set -e
cd "$(dirname "$0")"
site=$(../venv/bin/python -c "import sysconfig; print(sysconfig.get_paths()['purelib'])")
includes=$(for folder in "$site"/nvidia/*/include "$site"/triton/backends/nvidia/include; do echo "-I$folder"; done)
cudnn=$(awk '/define CUDNN_MAJOR/{a=$3} /define CUDNN_MINOR/{b=$3} /define CUDNN_PATCHLEVEL/{c=$3} END{print a*10000+b*100+c}' \
    "$site/nvidia/cudnn/include/cudnn_version.h")
g++ -O1 -fPIC $includes "-DFAKE_CUDNN=$cudnn" -c fake.cc -o fake.o
nm -D --undefined-only "$site"/torch/lib/*.so 2>/dev/null | awk '{print $2}' | sed 's/@.*//' |
    grep -E '^(cuda[A-Z]|__cuda|cublas|cudnn|cu(Ctx|Device|Func|GetError|Launch|Link|Module|Occupancy|Pointer|Tensor|Mem|Init|Driver|Stream|Event|Library|Kernel)[A-Za-z])' |
    sort -u > want.txt
nm --defined-only fake.o | awk '$2 == "T" {print $3}' | sort -u > have.txt
comm -23 want.txt have.txt | awk '{print "long " $1 "(void) { return 0; }"}' > gen.c
gcc -O1 -fPIC -fno-builtin -c gen.c -o gen.o
g++ -shared -Wl,-soname,libcuda.so.1 -o libfakecuda.so fake.o gen.o -ldl
gcc -w -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o libnvidia-ml.so.1 nvml.c # only expandable_segments asks NVML
