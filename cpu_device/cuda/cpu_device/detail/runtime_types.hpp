/// \file
/// Types and constants of the CUDA runtime API. Names and values are the API's.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/vector_types.hpp"

#include <cstddef>

#define __DRIVER_TYPES_H__ // what helpers of samples request

/// What every call of the runtime API returns.
enum cudaError : int
{
#define CPU_DEVICE_ERROR(name, value, sentence) name = value,
#include "cpu_device/detail/error_codes.def"
#undef CPU_DEVICE_ERROR
};
using cudaError_t = cudaError;

enum cudaMemcpyKind : int
{
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum cudaMemoryType
{
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};

enum cudaMemoryAdvise
{
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseSetAccessedBy = 5
};

enum cudaMemLocationType
{
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2
};

struct cudaMemLocation
{
    cudaMemLocationType type;
    int id;
};

enum cudaFuncAttribute
{
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};

enum cudaComputeMode
{
    cudaComputeModeDefault = 0,
    cudaComputeModeProhibited = 2
};

enum cudaDeviceP2PAttr : int
{
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3
};

enum cudaLimit : int
{
    cudaLimitStackSize = 0,
    cudaLimitMallocHeapSize = 2,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6
};

enum cudaDeviceAttr : int
{
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxPersistingL2CacheSize = 108
};

struct CUuuid_st
{
    char bytes[16];
};
using cudaUUID_t = CUuuid_st;

/// CUDA 13's members, and those of CUDA 12 that it dropped (the last group): a program written for
/// either compiles.
struct cudaDeviceProp
{
    char name[256];
    cudaUUID_t uuid;
    std::size_t totalGlobalMem;
    std::size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    std::size_t totalConstMem;
    int major;
    int minor;
    int multiProcessorCount;
    int canMapHostMemory;
    int concurrentKernels;
    int pciBusID;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    std::size_t sharedMemPerMultiprocessor;
    int managedMemory;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int cooperativeLaunch;
    std::size_t sharedMemPerBlockOptin;

    int clockRate;
    int memoryClockRate;
    int computeMode;
};

struct cudaFuncAttributes
{
    std::size_t sharedSizeBytes;
    std::size_t constSizeBytes;
    std::size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int maxDynamicSharedSizeBytes;
};

struct cudaPointerAttributes
{
    cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};

struct cudaExtent
{
    std::size_t width;  ///< bytes, for linear memory
    std::size_t height; ///< rows
    std::size_t depth;  ///< slices
};

struct cudaPos
{
    std::size_t x; ///< bytes, for linear memory
    std::size_t y;
    std::size_t z;
};

struct cudaPitchedPtr
{
    void* ptr;
    std::size_t pitch; ///< bytes from one row to the next
    std::size_t xsize; ///< bytes of a row that hold data
    std::size_t ysize; ///< rows of a slice
};

CPU_DEVICE_FUNCTION(constexpr cudaExtent, make_cudaExtent,
                    (std::size_t width, std::size_t height, std::size_t depth),
                    {width, height, depth})
CPU_DEVICE_FUNCTION(constexpr cudaPos, make_cudaPos, (std::size_t x, std::size_t y, std::size_t z),
                    {x, y, z})
CPU_DEVICE_FUNCTION(constexpr cudaPitchedPtr, make_cudaPitchedPtr,
                    (void* pointer, std::size_t pitch, std::size_t xsize, std::size_t ysize),
                    {pointer, pitch, xsize, ysize})

struct cudaMemcpy3DParms
{
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphNode_t = struct CUgraphNode_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;
using cudaHostFn_t = void (*)(void* userData);

enum cudaStreamCaptureMode
{
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};

enum cudaGraphNodeType
{
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeGraph = 4,
    cudaGraphNodeTypeEmpty = 5,
    cudaGraphNodeTypeMemFree = 11
};

enum cudaAccessProperty
{
    cudaAccessPropertyNormal = 0,
    cudaAccessPropertyStreaming = 1,
    cudaAccessPropertyPersisting = 2
};

struct cudaAccessPolicyWindow
{
    void* base_ptr;
    std::size_t num_bytes;
    float hitRatio;
    cudaAccessProperty hitProp;
    cudaAccessProperty missProp;
};

enum cudaLaunchAttributeID
{
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
};

union cudaLaunchAttributeValue {
    char pad[64];
    cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative;
    struct
    {
        unsigned int x;
        unsigned int y;
        unsigned int z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
};

struct cudaLaunchAttribute
{
    cudaLaunchAttributeID id;
    char pad[8 - sizeof(cudaLaunchAttributeID)];
    cudaLaunchAttributeValue val;
};

struct cudaLaunchConfig_t
{
    dim3 gridDim;
    dim3 blockDim;
    std::size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned int numAttrs;
};

using cudaStreamAttrID = cudaLaunchAttributeID;
using cudaStreamAttrValue = cudaLaunchAttributeValue;
using cudaKernelNodeAttrID = cudaLaunchAttributeID;
using cudaKernelNodeAttrValue = cudaLaunchAttributeValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow

// Flags. Macros, as in the API: programs test for them with #ifdef.
#define cudaDeviceMapHost 0x08
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)
#define CUDART_VERSION 13000
