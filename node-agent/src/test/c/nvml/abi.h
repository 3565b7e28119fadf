// The part of NVML's binary interface that the agent uses, written down from the facts in the project's reference
// (sizes and offsets on 64-bit Linux), not from NVIDIA's header. A real driver reads and writes the layout that is
// asserted here.
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum {
  OK = 0,
  UNINITIALIZED = 1,
  INVALID_ARGUMENT = 2,
  NOT_SUPPORTED = 3,
  NO_PERMISSION = 4,
  NOT_FOUND = 6,
  INSUFFICIENT_SIZE = 7,
  DRIVER_NOT_LOADED = 9,
  GPU_IS_LOST = 15,
  RESET_REQUIRED = 16,
  IN_USE = 19,
  INSUFFICIENT_RESOURCES = 23,
  UNKNOWN = 999,
};

typedef int32_t status;
typedef struct handle *handle; // a device, an instance of one, or a MIG device

typedef struct {
  uint64_t total, free, used;
} nvmlMemory_t;

typedef struct {
  uint32_t version;
  uint64_t total, reserved, free, used;
} nvmlMemory_v2_t;

typedef struct {
  uint32_t pid;
  uint64_t usedGpuMemory;
  uint32_t gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_t;

typedef struct {
  uint32_t start, size;
} nvmlGpuInstancePlacement_t;

typedef struct {
  uint32_t version, id, isP2pSupported, sliceCount, instanceCount, multiprocessorCount,
      copyEngineCount, decoderCount, encoderCount, jpegCount, ofaCount;
  uint64_t memorySizeMB;
  char name[96];
} nvmlGpuInstanceProfileInfo_v2_t;

typedef struct {
  handle device;
  uint32_t id, profileId;
  nvmlGpuInstancePlacement_t placement;
} nvmlGpuInstanceInfo_t;

typedef struct {
  uint32_t version, id, sliceCount, instanceCount, multiprocessorCount, sharedCopyEngineCount,
      sharedDecoderCount, sharedEncoderCount, sharedJpegCount, sharedOfaCount;
  char name[96];
} nvmlComputeInstanceProfileInfo_v2_t;

typedef struct {
  handle device, gpuInstance;
  uint32_t id, profileId;
  nvmlGpuInstancePlacement_t placement;
} nvmlComputeInstanceInfo_t;

typedef struct {
  const char *nameSpace;
  uint64_t softLimit, hardLimit;
} nvmlSetMemoryLimits_v1_t;

typedef struct {
  const char *nameSpace;
  uint64_t softLimit, hardLimit, currentUsed;
} nvmlGetMemoryLimits_v1_t;

typedef struct {
  uint32_t gpu, memory;
} nvmlUtilization_t;

typedef struct {
  uint32_t pid;
  uint64_t timeStamp;
  uint32_t smUtil, memUtil, encUtil, decUtil;
} nvmlProcessUtilizationSample_t;

typedef struct {
  handle device;
  uint64_t eventType, eventData;
  uint32_t gpuInstanceId, computeInstanceId;
} nvmlEventData_t;

typedef struct {
  uint32_t fieldId, scopeId;
  int64_t timestamp, latencyUsec;
  uint32_t valueType;
  status nvmlReturn;
  uint64_t value; // a union of numbers; the lowest bytes are those of any
} nvmlFieldValue_t;

// Every structure with the fields that the agent touches: FIELD(type, field, offset).
#define STRUCTURES(STRUCTURE, FIELD)                     \
  STRUCTURE(nvmlMemory_t, 24)                            \
  FIELD(nvmlMemory_t, total, 0)                          \
  FIELD(nvmlMemory_t, free, 8)                           \
  FIELD(nvmlMemory_t, used, 16)                          \
  STRUCTURE(nvmlMemory_v2_t, 40)                         \
  FIELD(nvmlMemory_v2_t, version, 0)                     \
  FIELD(nvmlMemory_v2_t, total, 8)                       \
  FIELD(nvmlMemory_v2_t, reserved, 16)                   \
  FIELD(nvmlMemory_v2_t, free, 24)                       \
  FIELD(nvmlMemory_v2_t, used, 32)                       \
  STRUCTURE(nvmlProcessInfo_t, 24)                       \
  FIELD(nvmlProcessInfo_t, pid, 0)                       \
  FIELD(nvmlProcessInfo_t, usedGpuMemory, 8)             \
  FIELD(nvmlProcessInfo_t, gpuInstanceId, 16)            \
  FIELD(nvmlProcessInfo_t, computeInstanceId, 20)        \
  STRUCTURE(nvmlGpuInstancePlacement_t, 8)               \
  FIELD(nvmlGpuInstancePlacement_t, start, 0)            \
  FIELD(nvmlGpuInstancePlacement_t, size, 4)             \
  STRUCTURE(nvmlGpuInstanceProfileInfo_v2_t, 152)        \
  FIELD(nvmlGpuInstanceProfileInfo_v2_t, version, 0)     \
  FIELD(nvmlGpuInstanceProfileInfo_v2_t, id, 4)          \
  FIELD(nvmlGpuInstanceProfileInfo_v2_t, sliceCount, 12) \
  FIELD(nvmlGpuInstanceProfileInfo_v2_t, memorySizeMB, 48) \
  FIELD(nvmlGpuInstanceProfileInfo_v2_t, name, 56)       \
  STRUCTURE(nvmlGpuInstanceInfo_t, 24)                   \
  FIELD(nvmlGpuInstanceInfo_t, device, 0)                \
  FIELD(nvmlGpuInstanceInfo_t, id, 8)                    \
  FIELD(nvmlGpuInstanceInfo_t, profileId, 12)            \
  FIELD(nvmlGpuInstanceInfo_t, placement, 16)            \
  STRUCTURE(nvmlComputeInstanceProfileInfo_v2_t, 136)    \
  FIELD(nvmlComputeInstanceProfileInfo_v2_t, version, 0) \
  FIELD(nvmlComputeInstanceProfileInfo_v2_t, id, 4)      \
  FIELD(nvmlComputeInstanceProfileInfo_v2_t, name, 40)   \
  STRUCTURE(nvmlComputeInstanceInfo_t, 32)               \
  FIELD(nvmlComputeInstanceInfo_t, device, 0)            \
  FIELD(nvmlComputeInstanceInfo_t, gpuInstance, 8)       \
  FIELD(nvmlComputeInstanceInfo_t, id, 16)               \
  FIELD(nvmlComputeInstanceInfo_t, profileId, 20)        \
  FIELD(nvmlComputeInstanceInfo_t, placement, 24)        \
  STRUCTURE(nvmlSetMemoryLimits_v1_t, 24)                \
  FIELD(nvmlSetMemoryLimits_v1_t, nameSpace, 0)          \
  FIELD(nvmlSetMemoryLimits_v1_t, softLimit, 8)          \
  FIELD(nvmlSetMemoryLimits_v1_t, hardLimit, 16)         \
  STRUCTURE(nvmlGetMemoryLimits_v1_t, 32)                \
  FIELD(nvmlGetMemoryLimits_v1_t, nameSpace, 0)          \
  FIELD(nvmlGetMemoryLimits_v1_t, softLimit, 8)          \
  FIELD(nvmlGetMemoryLimits_v1_t, hardLimit, 16)         \
  FIELD(nvmlGetMemoryLimits_v1_t, currentUsed, 24)       \
  STRUCTURE(nvmlUtilization_t, 8)                        \
  FIELD(nvmlUtilization_t, gpu, 0)                       \
  FIELD(nvmlUtilization_t, memory, 4)                    \
  STRUCTURE(nvmlProcessUtilizationSample_t, 32)          \
  FIELD(nvmlProcessUtilizationSample_t, pid, 0)          \
  FIELD(nvmlProcessUtilizationSample_t, timeStamp, 8)    \
  FIELD(nvmlProcessUtilizationSample_t, smUtil, 16)      \
  STRUCTURE(nvmlEventData_t, 32)                         \
  FIELD(nvmlEventData_t, device, 0)                      \
  FIELD(nvmlEventData_t, eventType, 8)                   \
  FIELD(nvmlEventData_t, eventData, 16)                  \
  FIELD(nvmlEventData_t, gpuInstanceId, 24)              \
  FIELD(nvmlEventData_t, computeInstanceId, 28)          \
  STRUCTURE(nvmlFieldValue_t, 40)                        \
  FIELD(nvmlFieldValue_t, fieldId, 0)                    \
  FIELD(nvmlFieldValue_t, scopeId, 4)                    \
  FIELD(nvmlFieldValue_t, nvmlReturn, 28)                \
  FIELD(nvmlFieldValue_t, value, 32)

#define SIZE_IS(type, bytes) static_assert(sizeof(type) == (bytes), #type);
#define OFFSET_IS(type, field, bytes) static_assert(offsetof(type, field) == (bytes), #type "." #field);
STRUCTURES(SIZE_IS, OFFSET_IS)

// The version that a caller has to write into a structure's first field.
#define VERSION(type, number) ((uint32_t)(sizeof(type) | ((uint32_t)(number) << 24)))
