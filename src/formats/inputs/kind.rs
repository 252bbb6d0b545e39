//! Kinds of texts.

/// The wording of a failure, or of a report on memory, by who prints it and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PyTorch 0.x: the runtime's number alone.
    Cuda0,
    /// PyTorch 1.0 to 1.3: "cached" counts reserved bytes that are not allocated.
    Cuda1Cached,
    /// PyTorch 1.4 to 1.9: "reserved in total by PyTorch".
    Cuda1,
    /// PyTorch 1.10 to 1.12: the same, with advice.
    Cuda1Hint,
    /// PyTorch 1.13 and 2.0: the same, with a class of its own.
    Cuda20,
    /// PyTorch 2.1: "a total capacty of".
    Cuda21,
    /// PyTorch 2.2 to 2.4.
    Cuda22,
    /// PyTorch 2.5 and later.
    Cuda25,
    /// Shortened by hand, or by a library.
    CudaShortened,
    /// A request of more than an exbibyte: a size that went wrong.
    CudaOneEb,
    /// Refused before it was tried, at the process's fraction.
    CudaRejected,
    /// The backend `cudaMallocAsync`.
    CudaAsync,
    /// PyTorch's word alone.
    CudaBare,
    /// The driver's word alone: no request of the caching allocator's.
    CudaDriver,
    /// vLLM has no room for its cache, or none to start.
    VllmCache,
    /// vLLM finds less free at its start than its share of the GPU.
    VllmStart,
    /// vLLM's report on its sleep mode.
    VllmSleep,
    /// AMD.
    Hip,
    /// Huawei.
    Npu,
    /// Intel.
    Xpu,
    /// Further builds that print alike.
    OtherDevice,
    /// Apple.
    Mps,
    /// Apple: one buffer larger than Metal allows.
    MpsBuffer,
    /// A library that could not allocate what it needs beside the caching allocator.
    Cublas,
    /// The same.
    Cudnn,
    /// The same.
    Cusolver,
    /// The same.
    Nccl,
    /// PyTorch's allocator of host memory.
    CpuAlloc,
    /// A file, or a tensor between processes, that could not be mapped.
    Mmap,
    /// `/dev/shm` is full.
    SharedMemory,
    /// A worker of a data loader that a signal ended.
    WorkerKilled,
    /// A worker of a data loader that is gone.
    WorkerExited,
    /// A process that the system ended: exit code 137, -9, SIGKILL.
    HostKill,
    /// The kernel's own lines.
    KernelKill,
    /// Slurm's.
    SlurmKill,
    /// Another batch system's.
    BatchKill,
    /// Kubernetes'.
    K8sKill,
    /// Ray's.
    RayKill,
    /// A process that could not be started.
    Fork,
    /// Windows' paging file.
    WinPagefile,
    /// An array of `numpy`.
    Numpy,
    /// Python, C++ or Arrow.
    HostMemory,
    /// `torch.cuda.memory_summary()`.
    Summary,
    /// DeepSpeed's `see_memory_usage`.
    DeepspeedLog,
}

impl Kind {
    /// Its stable name in output.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Cuda0 => "cuda-0.x",
            Kind::Cuda1Cached => "cuda-1.x-cached",
            Kind::Cuda1 => "cuda-1.x",
            Kind::Cuda1Hint => "cuda-1.1x",
            Kind::Cuda20 => "cuda-2.0",
            Kind::Cuda21 => "cuda-2.1",
            Kind::Cuda22 => "cuda-2.2+",
            Kind::Cuda25 => "cuda-2.5+",
            Kind::CudaShortened => "cuda-2.x-shortened",
            Kind::CudaOneEb => "cuda-1eb",
            Kind::CudaRejected => "cuda-rejected",
            Kind::CudaAsync => "cuda-async",
            Kind::CudaBare | Kind::CudaDriver => "cuda-bare",
            Kind::VllmCache => "vllm-cache",
            Kind::VllmStart => "vllm-start",
            Kind::VllmSleep => "vllm-sleep",
            Kind::Hip => "hip",
            Kind::Npu => "npu",
            Kind::Xpu => "xpu",
            Kind::OtherDevice => "other-device",
            Kind::Mps | Kind::MpsBuffer => "mps",
            Kind::Cublas => "cublas",
            Kind::Cudnn => "cudnn",
            Kind::Cusolver => "cusolver",
            Kind::Nccl => "nccl",
            Kind::CpuAlloc => "cpu-alloc",
            Kind::Mmap => "mmap",
            Kind::SharedMemory => "shm",
            Kind::WorkerKilled => "worker-killed",
            Kind::WorkerExited => "worker-exited",
            Kind::HostKill => "host-kill",
            Kind::KernelKill => "kernel-kill",
            Kind::SlurmKill => "slurm-kill",
            Kind::BatchKill => "batch-kill",
            Kind::K8sKill => "k8s-kill",
            Kind::RayKill => "ray-kill",
            Kind::Fork => "fork",
            Kind::WinPagefile => "win-pagefile",
            Kind::Numpy => "numpy",
            Kind::HostMemory => "host-memory",
            Kind::Summary => "summary",
            Kind::DeepspeedLog => "deepspeed-log",
        }
    }

    /// Whether the host's memory was short.
    pub fn is_host(self) -> bool {
        use Kind::{
            BatchKill, CpuAlloc, Fork, HostKill, HostMemory, K8sKill, KernelKill, Mmap, Numpy,
            RayKill, SharedMemory, SlurmKill, WinPagefile, WorkerExited, WorkerKilled,
        };
        matches!(
            self,
            CpuAlloc
                | Mmap
                | SharedMemory
                | WorkerKilled
                | WorkerExited
                | HostKill
                | KernelKill
                | SlurmKill
                | BatchKill
                | K8sKill
                | RayKill
                | Fork
                | WinPagefile
                | Numpy
                | HostMemory
        )
    }
}
