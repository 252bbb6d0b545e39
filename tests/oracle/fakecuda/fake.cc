// A fake CUDA runtime + cuBLAS: no kernel ever runs; cudaMalloc hands out never-touched addresses.
// Everything above it (PyTorch's dispatcher, autograd, CUDACachingAllocator) is the real thing.
#include <cuda_runtime_api.h>
#include <cublas_v2.h>
#include <cublasLt.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <mutex>
#include <atomic>
#include <dlfcn.h>
#define X extern "C" __attribute__((visibility("default")))
static std::mutex mu;
static std::map<uintptr_t,size_t> live;           // device blocks
static uintptr_t nextp = 0x700000000000ULL >> 4;  // far from host mmaps
static size_t used=0;
static size_t cap(){ static size_t c=0; if(!c){const char*e=getenv("FAKE_GPU_BYTES"); c=e?strtoull(e,0,10):(size_t)(1024ULL<<30);} return c;}
static int cc_major(){ static int v=-1; if(v<0){const char*e=getenv("FAKE_GPU_CC"); v=e?atoi(e):80;} return v/10;}
static int cc_minor(){ cc_major(); const char*e=getenv("FAKE_GPU_CC"); return (e?atoi(e):80)%10;}
static int nsm(){ const char*e=getenv("FAKE_GPU_SMS"); return e?atoi(e):(cc_major()>=9?132:108);}
static size_t granule=2u<<20; // driver granularity of cudaMalloc
static bool isdev(const void*p){ uintptr_t a=(uintptr_t)p; return a>=(0x700000000000ULL>>4) && a<0x600000000000ULL && a < nextp; }
static thread_local cudaError_t last=cudaSuccess;
static int curdev=0;
static thread_local struct {dim3 g,b; size_t s; cudaStream_t st;} cfg;
static std::atomic<uintptr_t> hctr{0x1000};
static void* newh(){ return (void*)(hctr.fetch_add(16)); }
X cudaError_t cudaMalloc(void**p,size_t n){
  std::lock_guard<std::mutex> g(mu); size_t r=(n+511)/512*512;
  if(used+r>cap()){ last=cudaErrorMemoryAllocation; return last; }
  *p=(void*)nextp; live[nextp]=r; nextp+=(r+granule-1)/granule*granule+granule; used+=r; return cudaSuccess; }
X cudaError_t cudaFree(void*p){ if(!p) return cudaSuccess; std::lock_guard<std::mutex> g(mu); auto it=live.find((uintptr_t)p); if(it!=live.end()){used-=it->second; live.erase(it);} return cudaSuccess; }
X cudaError_t cudaMallocAsync(void**p,size_t n,cudaStream_t){ return cudaMalloc(p,n);} 
X cudaError_t cudaFreeAsync(void*p,cudaStream_t){ return cudaFree(p);} 
X cudaError_t cudaMallocManaged(void**p,size_t n,unsigned){ *p=calloc(1,n); return cudaSuccess; }
X cudaError_t cudaMallocHost(void**p,size_t n){ *p=calloc(1,n?n:1); return cudaSuccess; }
// Pinned memory is told from other host memory: DDP asks for it.
static std::map<uintptr_t,size_t> pinned;
X cudaError_t cudaHostAlloc(void**p,size_t n,unsigned){ *p=calloc(1,n?n:1); std::lock_guard<std::mutex> g(mu); pinned[(uintptr_t)*p]=n?n:1; return cudaSuccess; }
X cudaError_t cudaFreeHost(void*p){ { std::lock_guard<std::mutex> g(mu); pinned.erase((uintptr_t)p); } free(p); return cudaSuccess; }
static bool ispinned(const void*p){ std::lock_guard<std::mutex> g(mu); auto after=pinned.upper_bound((uintptr_t)p); if(after==pinned.begin()) return false; --after; return (uintptr_t)p<after->first+after->second; }
X cudaError_t cudaMemGetInfo(size_t*f,size_t*t){ *t=cap(); *f=cap()-used; return cudaSuccess; }
// What the next int that comes from the device is: how many elements a condition holds for, which sizes depend on (routing.py).
static int answer=0, answers=0;
X void fakecuda_answers(int n,int times){ answer=n; answers=times; }
X void fakecuda_answer(int n){ fakecuda_answers(n,1); }
// Device memory whose 64-bit integers all have one value, until there is other such memory: lengths, which are read by C++ (speech.py).
struct Same { const void*at; size_t count; long long value; };
static Same same[2];
X void fakecuda_same(int which,const void*at,size_t count,long long value){ same[which]={at,count,value}; }
// Where asked for, what was last copied to the device is given back when it is read next: numbers that a rank sends to the others (ranks.py).
static bool gives_back=false;
static struct { const void*at; size_t bytes; char data[1<<16]; } sent;
X void fakecuda_gives_back(int on){ gives_back=on; sent.at=nullptr; }
static cudaError_t cpy(void*d,const void*s,size_t n){
  if(isdev(d)){ if(gives_back&&!isdev(s)){ sent.at=n<=sizeof sent.data?d:nullptr; sent.bytes=n; if(sent.at) memcpy(sent.data,s,n); } return cudaSuccess; }
  if(isdev(s)){ if(gives_back&&sent.at==s&&sent.bytes==n){ memcpy(d,sent.data,n); sent.at=nullptr; return cudaSuccess; } memset(d,0,n); for(auto&k:same) if(k.at==s&&n==8*k.count) for(size_t i=0;i<k.count;i++) ((long long*)d)[i]=k.value; if(answer&&n==sizeof answer){ memcpy(d,&answer,n); if(--answers<=0) answer=0; } return cudaSuccess;} memmove(d,s,n); return cudaSuccess; }
// How far streams are. Usually everything is done at once. With FAKE_GPU_SLOW=1 a stream does nothing before the host waits for it: the slowest GPU
// there can be. A stream's place counts the events that were recorded on it; what is before a place is done when the host has waited for that place,
// or for one of another stream that waits for it. `Places` are those of all streams; `reached` are those that are done.
typedef std::map<uintptr_t,unsigned long> Places;
static bool slow(){ static int v=-1; if(v<0){const char*e=getenv("FAKE_GPU_SLOW"); v=e&&atoi(e);} return v; }
static std::mutex order;
static std::unordered_map<uintptr_t,Places> streams;            // what the next work of a stream comes after
static std::unordered_map<uintptr_t,std::pair<uintptr_t,Places>> recorded; // of an event its stream, and what it comes after
static Places reached;
static void after(Places&one,const Places&other){ for(auto&p:other){ auto&at=one[p.first]; if(p.second>at) at=p.second; } }
static cudaError_t waited(const Places&until){ after(reached,until); return cudaSuccess; }
static cudaError_t waited_for(cudaStream_t s){ if(!slow()) return cudaSuccess; std::lock_guard<std::mutex> g(order); auto&its=streams[(uintptr_t)s]; ++its[(uintptr_t)s]; return waited(its); }
X cudaError_t cudaEventRecordWithFlags(cudaEvent_t e,cudaStream_t s,unsigned){ if(!slow()) return cudaSuccess; std::lock_guard<std::mutex> g(order); auto&its=streams[(uintptr_t)s]; ++its[(uintptr_t)s]; recorded[(uintptr_t)e]={(uintptr_t)s,its}; return cudaSuccess; }
X cudaError_t cudaEventRecord(cudaEvent_t e,cudaStream_t s){ return cudaEventRecordWithFlags(e,s,0); }
X cudaError_t cudaEventQuery(cudaEvent_t e){ if(!slow()) return cudaSuccess; std::lock_guard<std::mutex> g(order); auto it=recorded.find((uintptr_t)e); if(it==recorded.end()) return cudaSuccess; auto s=it->second.first; return reached[s]>=it->second.second[s]?cudaSuccess:cudaErrorNotReady; }
X cudaError_t cudaEventSynchronize(cudaEvent_t e){ if(!slow()) return cudaSuccess; std::lock_guard<std::mutex> g(order); auto it=recorded.find((uintptr_t)e); return it==recorded.end()?cudaSuccess:waited(it->second.second); }
X cudaError_t cudaStreamWaitEvent(cudaStream_t s,cudaEvent_t e,unsigned){ if(!slow()) return cudaSuccess; std::lock_guard<std::mutex> g(order); auto it=recorded.find((uintptr_t)e); if(it!=recorded.end()) after(streams[(uintptr_t)s],it->second.second); return cudaSuccess; }
X cudaError_t cudaEventDestroy(cudaEvent_t e){ if(slow()){ std::lock_guard<std::mutex> g(order); recorded.erase((uintptr_t)e); } return cudaSuccess; }
X cudaError_t cudaStreamSynchronize(cudaStream_t s){ return waited_for(s); }
X cudaError_t cudaDeviceSynchronize(void){ if(!slow()) return cudaSuccess; std::lock_guard<std::mutex> g(order); for(auto&s:streams) waited(s.second); return cudaSuccess; }
// The host waits for a copy to memory that is not pinned, and for each copy that is not asynchronous.
X cudaError_t cudaMemcpy(void*d,const void*s,size_t n,cudaMemcpyKind){ waited_for(0); return cpy(d,s,n);} 
X cudaError_t cudaMemcpyAsync(void*d,const void*s,size_t n,cudaMemcpyKind,cudaStream_t st){ if(slow()&&isdev(s)&&!isdev(d)&&!ispinned(d)) waited_for(st); return cpy(d,s,n);} 
X cudaError_t cudaMemset(void*d,int v,size_t n){ if(!isdev(d)) memset(d,v,n); return cudaSuccess; }
X cudaError_t cudaMemsetAsync(void*d,int v,size_t n,cudaStream_t){ return cudaMemset(d,v,n);} 
X cudaError_t cudaGetDeviceCount(int*n){ *n=1; return cudaSuccess; }
X cudaError_t cudaGetDevice(int*d){ *d=curdev; return cudaSuccess; }
X cudaError_t cudaSetDevice(int d){ curdev=d; return cudaSuccess; }
X cudaError_t cudaDriverGetVersion(int*v){ *v=CUDART_VERSION; return cudaSuccess; }
X cudaError_t cudaRuntimeGetVersion(int*v){ *v=CUDART_VERSION; return cudaSuccess; }
X cudaError_t cudaGetDeviceProperties(cudaDeviceProp*p,int){ memset(p,0,sizeof *p); strcpy(p->name,getenv("FAKE_GPU_NAME")?getenv("FAKE_GPU_NAME"):"Fake GPU"); p->totalGlobalMem=cap();
  p->sharedMemPerBlock=49152; p->regsPerBlock=65536; p->warpSize=32; p->maxThreadsPerBlock=1024; p->maxThreadsDim[0]=1024;p->maxThreadsDim[1]=1024;p->maxThreadsDim[2]=64;
  p->maxGridSize[0]=2147483647;p->maxGridSize[1]=65535;p->maxGridSize[2]=65535; p->totalConstMem=65536; p->major=cc_major(); p->minor=cc_minor(); p->textureAlignment=512; p->multiProcessorCount=nsm();
  p->maxThreadsPerMultiProcessor=(cc_major()==8&&cc_minor()>0)?1536:2048; p->l2CacheSize=40<<20; p->sharedMemPerMultiprocessor=cc_major()>=9?233472:167936; p->regsPerMultiprocessor=65536; p->managedMemory=1; p->concurrentKernels=1; p->unifiedAddressing=1; p->asyncEngineCount=3; p->memoryBusWidth=5120;
  p->sharedMemPerBlockOptin=cc_major()>=9?232448:166912; p->maxBlocksPerMultiProcessor=32; p->cooperativeLaunch=1; return cudaSuccess; }
X cudaError_t cudaDeviceGetAttribute(int*v,cudaDeviceAttr a,int){ cudaDeviceProp p; cudaGetDeviceProperties(&p,0); *v=0; switch((int)a){
  case cudaDevAttrMaxThreadsPerBlock:*v=1024;break; case cudaDevAttrMaxBlockDimX:case cudaDevAttrMaxBlockDimY:*v=1024;break; case cudaDevAttrMaxBlockDimZ:*v=64;break;
  case cudaDevAttrMaxGridDimX:*v=2147483647;break; case cudaDevAttrMaxGridDimY:case cudaDevAttrMaxGridDimZ:*v=65535;break; case cudaDevAttrMaxSharedMemoryPerBlock:*v=49152;break; case cudaDevAttrWarpSize:*v=32;break;
  case cudaDevAttrMultiProcessorCount:*v=p.multiProcessorCount;break; case cudaDevAttrComputeCapabilityMajor:*v=p.major;break; case cudaDevAttrComputeCapabilityMinor:*v=p.minor;break; case cudaDevAttrMaxSharedMemoryPerBlockOptin:*v=p.sharedMemPerBlockOptin;break; case cudaDevAttrMaxSharedMemoryPerMultiprocessor:*v=p.sharedMemPerMultiprocessor;break; case cudaDevAttrMaxThreadsPerMultiProcessor:*v=p.maxThreadsPerMultiProcessor;break; case cudaDevAttrMaxRegistersPerBlock:case cudaDevAttrMaxRegistersPerMultiprocessor:*v=65536;break; case cudaDevAttrL2CacheSize:*v=p.l2CacheSize;break; case cudaDevAttrUnifiedAddressing:case cudaDevAttrCooperativeLaunch:case cudaDevAttrConcurrentKernels:*v=1;break; case cudaDevAttrMaxBlocksPerMultiprocessor:*v=32;break; case cudaDevAttrClockRate:*v=1410000;break; default:break;} return cudaSuccess; }
X cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*a,const void*){ memset(a,0,sizeof *a); a->maxThreadsPerBlock=1024; a->numRegs=32; a->ptxVersion=cc_major()*10+cc_minor(); a->binaryVersion=a->ptxVersion; a->maxDynamicSharedSizeBytes=cc_major()>=9?232448:166912; return cudaSuccess; }
X cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*n,const void*,int,size_t){ *n=2; return cudaSuccess; }
X cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int*n,const void*,int,size_t,unsigned){ *n=2; return cudaSuccess; }
X cudaError_t cudaDeviceGetStreamPriorityRange(int*a,int*b){ if(a)*a=0; if(b)*b=-5; return cudaSuccess; }
X cudaError_t cudaStreamCreate(cudaStream_t*s){ *s=(cudaStream_t)newh(); return cudaSuccess; }
X cudaError_t cudaStreamCreateWithFlags(cudaStream_t*s,unsigned){ *s=(cudaStream_t)newh(); return cudaSuccess; }
X cudaError_t cudaStreamCreateWithPriority(cudaStream_t*s,unsigned,int){ *s=(cudaStream_t)newh(); return cudaSuccess; }
X cudaError_t cudaStreamGetPriority(cudaStream_t,int*p){ *p=0; return cudaSuccess; }
X cudaError_t cudaStreamIsCapturing(cudaStream_t,cudaStreamCaptureStatus*s){ *s=cudaStreamCaptureStatusNone; return cudaSuccess; }
#if CUDART_VERSION >= 13000
X cudaError_t cudaStreamGetCaptureInfo(cudaStream_t,cudaStreamCaptureStatus*s,unsigned long long*id,cudaGraph_t*g,const cudaGraphNode_t**d,const cudaGraphEdgeData**e,size_t*n){ if(s)*s=cudaStreamCaptureStatusNone; if(id)*id=0; if(g)*g=0; if(n)*n=0; return cudaSuccess; }
#else
X cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t,cudaStreamCaptureStatus*s,unsigned long long*id,cudaGraph_t*g,const cudaGraphNode_t**d,size_t*n){ if(s)*s=cudaStreamCaptureStatusNone; if(id)*id=0; if(g)*g=0; if(n)*n=0; return cudaSuccess; }
#endif
X cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*){ return cudaSuccess; }
X cudaError_t cudaEventCreate(cudaEvent_t*e){ *e=(cudaEvent_t)newh(); return cudaSuccess; }
X cudaError_t cudaEventCreateWithFlags(cudaEvent_t*e,unsigned){ *e=(cudaEvent_t)newh(); return cudaSuccess; }
X cudaError_t cudaEventElapsedTime(float*ms,cudaEvent_t,cudaEvent_t){ *ms=0; return cudaSuccess; }
X cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*a,const void*p){ memset(a,0,sizeof *a); if(isdev(p)){ a->type=cudaMemoryTypeDevice; a->devicePointer=(void*)p; a->device=0;} else if(ispinned(p)){ a->type=cudaMemoryTypeHost; a->hostPointer=a->devicePointer=(void*)p; } else { a->type=cudaMemoryTypeUnregistered; a->hostPointer=(void*)p; } return cudaSuccess; }
X cudaError_t cudaDeviceGetPCIBusId(char*s,int n,int){ strncpy(s,"0000:00:00.0",n); return cudaSuccess; }
X cudaError_t cudaDeviceCanAccessPeer(int*v,int,int){ *v=0; return cudaSuccess; }
X cudaError_t cudaGetLastError(void){ cudaError_t e=last; last=cudaSuccess; return e; }
X cudaError_t cudaPeekAtLastError(void){ return last; }
X const char* cudaGetErrorString(cudaError_t e){ return e==cudaErrorMemoryAllocation?"out of memory":"fake cuda error"; }
X const char* cudaGetErrorName(cudaError_t e){ return e==cudaErrorMemoryAllocation?"cudaErrorMemoryAllocation":"cudaErrorFake"; }
X cudaError_t cudaGetSymbolAddress(void**p,const void*s){ *p=(void*)s; return cudaSuccess; }

// driver API pieces used by the caching allocator's expandable segments
static int f_reserve(unsigned long long*p,size_t n,size_t,unsigned long long,unsigned long long){ std::lock_guard<std::mutex> g(mu); *p=nextp; nextp+=(n+granule-1)/granule*granule+granule; return 0; }
static std::map<uintptr_t,size_t> phys;
static int f_create(unsigned long long*h,size_t n,const void*,unsigned long long){ std::lock_guard<std::mutex> g(mu); if(used+n>cap()) return 2; used+=n; uintptr_t k=(uintptr_t)newh(); phys[k]=n; *h=k; return 0; }
static int f_release(unsigned long long h){ std::lock_guard<std::mutex> g(mu); auto it=phys.find(h); if(it!=phys.end()){ used-=it->second; phys.erase(it);} return 0; }
static int f_zero(){ return 0; }
static int f_gran(size_t*g,const void*,int){ *g=2u<<20; return 0; }
static int f_errstr(int,const char**s){ *s="fake driver error"; return 0; }
static int f_ctxstate(int,unsigned*fl,int*act){ if(fl)*fl=0; if(act)*act=1; return 0; }
static int f_devget(int*d,int o){ *d=o; return 0; }
static int f_ctxget(void**c){ *c=(void*)0x10; return 0; }
static int f_attr(int*v,int a,int d){ return cudaDeviceGetAttribute(v,(cudaDeviceAttr)a,d); }
#if CUDART_VERSION >= 13000
X cudaError_t cudaGetDriverEntryPointByVersion(const char*s,void**f,unsigned,unsigned long long,cudaDriverEntryPointQueryResult*st)
#else
X cudaError_t cudaGetDriverEntryPoint(const char*s,void**f,unsigned long long,cudaDriverEntryPointQueryResult*st)
#endif
{ if(st)*st=cudaDriverEntryPointSuccess;
  if(!strcmp(s,"cuMemAddressReserve"))*f=(void*)f_reserve; else if(!strcmp(s,"cuMemCreate"))*f=(void*)f_create; else if(!strcmp(s,"cuMemRelease"))*f=(void*)f_release; else if(!strcmp(s,"cuMemGetAllocationGranularity"))*f=(void*)f_gran; else if(!strcmp(s,"cuGetErrorString"))*f=(void*)f_errstr; else if(!strcmp(s,"cuDevicePrimaryCtxGetState"))*f=(void*)f_ctxstate; else if(!strcmp(s,"cuDeviceGet"))*f=(void*)f_devget; else if(!strcmp(s,"cuCtxGetCurrent"))*f=(void*)f_ctxget; else if(!strcmp(s,"cuDeviceGetAttribute"))*f=(void*)f_attr; else *f=(void*)f_zero; return cudaSuccess; }
X unsigned __cudaPushCallConfiguration(dim3 g,dim3 b,size_t s,struct CUstream_st*st){ cfg.g=g; cfg.b=b; cfg.s=s; cfg.st=st; return 0; }
X cudaError_t __cudaPopCallConfiguration(dim3*g,dim3*b,size_t*s,void*st){ *g=cfg.g; *b=cfg.b; *s=cfg.s; *(cudaStream_t*)st=cfg.st; return cudaSuccess; }
X void** __cudaRegisterFatBinary(void*){ static void*h=0; return &h; }
X cudaError_t __cudaGetKernel(cudaKernel_t*k,const void*f){ *k=(cudaKernel_t)f; return cudaSuccess; }
// cuBLAS
X cublasStatus_t cublasCreate_v2(cublasHandle_t*h){ *h=(cublasHandle_t)newh(); return CUBLAS_STATUS_SUCCESS; }
X cublasStatus_t cublasGetMathMode(cublasHandle_t,cublasMath_t*m){ *m=CUBLAS_DEFAULT_MATH; return CUBLAS_STATUS_SUCCESS; }
X cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t,cublasPointerMode_t*m){ *m=CUBLAS_POINTER_MODE_HOST; return CUBLAS_STATUS_SUCCESS; }
X size_t cublasLtGetVersion(void){ return CUDART_VERSION * 10; }
X cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t*d,cublasComputeType_t,cudaDataType_t){ *d=(cublasLtMatmulDesc_t)newh(); return CUBLAS_STATUS_SUCCESS; }
X cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t*d){ *d=(cublasLtMatmulPreference_t)newh(); return CUBLAS_STATUS_SUCCESS; }
X cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t*d,cudaDataType,uint64_t,uint64_t,int64_t){ *d=(cublasLtMatrixLayout_t)newh(); return CUBLAS_STATUS_SUCCESS; }
X cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t,cublasLtMatmulDesc_t,cublasLtMatrixLayout_t,cublasLtMatrixLayout_t,cublasLtMatrixLayout_t,cublasLtMatrixLayout_t,cublasLtMatmulPreference_t,int,cublasLtMatmulHeuristicResult_t r[],int*n){ memset(&r[0],0,sizeof r[0]); r[0].state=CUBLAS_STATUS_SUCCESS; *n=1; return CUBLAS_STATUS_SUCCESS; }
X size_t cudnnGetVersion(void){ return FAKE_CUDNN; }
X size_t cudnnGetCudartVersion(void){ return CUDART_VERSION; }
X const char* cudnnGetErrorString(int){ return "fake cudnn"; }
static int mk(void**p){ *p=newh(); return 0; }
X int cudnnCreate(void**p){ return mk(p);} 
X int cudnnCreateTensorDescriptor(void**p){ return mk(p);} X int cudnnCreateFilterDescriptor(void**p){ return mk(p);} X int cudnnCreateConvolutionDescriptor(void**p){ return mk(p);} X int cudnnCreateActivationDescriptor(void**p){return mk(p);} X int cudnnCreateDropoutDescriptor(void**p){return mk(p);} 

// driver API entry points that libcaffe2_nvrtc.so links against
X int cuGetErrorString(int,const char**s){ *s="fake driver error"; return 0; }
X int cuDevicePrimaryCtxGetState(int a,unsigned*f,int*b){ return f_ctxstate(a,f,b);} 
X int cuDeviceGet(int*d,int o){ *d=o; return 0; }
X int cuCtxGetCurrent(void**c){ *c=(void*)0x10; return 0; }
X int cuDevicePrimaryCtxRetain(void**c,int){ *c=(void*)0x10; return 0; }
X int cuDeviceGetAttribute(int*v,int a,int d){ return f_attr(v,a,d);} 
X int cuInit(unsigned){ return 0; }
X int cuDriverGetVersion(int*v){ *v=CUDART_VERSION; return 0; }
X int cuOccupancyMaxActiveBlocksPerMultiprocessor(int*n,void*,int,size_t){ *n=2; return 0; }
X int cuTensorMapEncodeTiled(void*){ return 0; }
// torch 2.6 looks these up by name
X int cuMemAddressReserve(unsigned long long*p,size_t n,size_t a,unsigned long long b,unsigned long long c){ return f_reserve(p,n,a,b,c); }
X int cuMemCreate(unsigned long long*h,size_t n,const void*p,unsigned long long f){ return f_create(h,n,p,f); }
X int cuMemRelease(unsigned long long h){ return f_release(h); }
X int cuMemGetAllocationGranularity(size_t*g,const void*p,int o){ return f_gran(g,p,o); }
#define NOTHING(name) X int name(void){ return 0; }
NOTHING(cuMemMap) NOTHING(cuMemUnmap) NOTHING(cuMemSetAccess) NOTHING(cuMemAddressFree)
NOTHING(cuMemExportToShareableHandle) NOTHING(cuMemImportFromShareableHandle) NOTHING(cuMemsetD32Async)
NOTHING(cuStreamWriteValue32) NOTHING(cuMulticastAddDevice) NOTHING(cuMulticastBindMem) NOTHING(cuMulticastCreate)
