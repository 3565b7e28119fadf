package io.headgate.agent.driver.nvml;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where the fields of one of NVML's structures lie, on 64-bit Linux.
///
/// Written down rather than derived, because a field at the wrong place is silently wrong. A test
/// compares each with a C compiler's result.
///
/// @param type its name in C
/// @param bytes its size
/// @param offsets of the fields that are used here
/// @param version the value of the field `version`; 0: it has no such field
record Layout(String type, int bytes, Map<String, Integer> offsets, int version) {
  static final Layout MEMORY_V2 =
      of("nvmlMemory_v2_t", 40)
          .field("version", 0)
          .field("total", 8)
          .field("reserved", 16)
          .field("free", 24)
          .field("used", 32)
          .versioned(2);

  static final Layout PROCESS_INFO =
      of("nvmlProcessInfo_t", 24)
          .field("pid", 0)
          .field("usedGpuMemory", 8)
          .field("gpuInstanceId", 16)
          .field("computeInstanceId", 20);

  static final Layout PLACEMENT =
      of("nvmlGpuInstancePlacement_t", 8).field("start", 0).field("size", 4);

  static final Layout GPU_INSTANCE_PROFILE =
      of("nvmlGpuInstanceProfileInfo_v2_t", 152)
          .field("version", 0)
          .field("id", 4)
          .field("sliceCount", 12)
          .field("memorySizeMB", 48)
          .field("name", 56)
          .versioned(2);

  static final Layout GPU_INSTANCE =
      of("nvmlGpuInstanceInfo_t", 24)
          .field("device", 0)
          .field("id", 8)
          .field("profileId", 12)
          .field("placement", 16);

  static final Layout COMPUTE_INSTANCE_PROFILE =
      of("nvmlComputeInstanceProfileInfo_v2_t", 136)
          .field("version", 0)
          .field("id", 4)
          .field("name", 40)
          .versioned(2);

  static final Layout COMPUTE_INSTANCE =
      of("nvmlComputeInstanceInfo_t", 32)
          .field("device", 0)
          .field("gpuInstance", 8)
          .field("id", 16)
          .field("profileId", 20)
          .field("placement", 24);

  static final Layout SET_MEMORY_LIMITS =
      of("nvmlSetMemoryLimits_v1_t", 24)
          .field("nameSpace", 0)
          .field("softLimit", 8)
          .field("hardLimit", 16);

  static final Layout UTILIZATION = of("nvmlUtilization_t", 8).field("gpu", 0).field("memory", 4);

  static final Layout PROCESS_UTILIZATION =
      of("nvmlProcessUtilizationSample_t", 32)
          .field("pid", 0)
          .field("timeStamp", 8)
          .field("smUtil", 16);

  static final Layout EVENT_DATA =
      of("nvmlEventData_t", 32)
          .field("device", 0)
          .field("eventType", 8)
          .field("eventData", 16)
          .field("gpuInstanceId", 24)
          .field("computeInstanceId", 28);

  static final Layout FIELD_VALUE =
      of("nvmlFieldValue_t", 40)
          .field("fieldId", 0)
          .field("scopeId", 4)
          .field("nvmlReturn", 28)
          .field("value", 32);

  static final List<Layout> ALL =
      List.of(
          MEMORY_V2,
          PROCESS_INFO,
          PLACEMENT,
          GPU_INSTANCE_PROFILE,
          GPU_INSTANCE,
          COMPUTE_INSTANCE_PROFILE,
          COMPUTE_INSTANCE,
          SET_MEMORY_LIMITS,
          UTILIZATION,
          PROCESS_UTILIZATION,
          EVENT_DATA,
          FIELD_VALUE);

  /// Bits by which the number of a structure's version is shifted above its size.
  private static final int VERSION_SHIFT = 24;

  private static Layout of(String type, int bytes) {
    return new Layout(type, bytes, Map.of(), 0);
  }

  private Layout field(String name, int offset) {
    Map<String, Integer> more = new LinkedHashMap<>(offsets);
    more.put(name, offset);
    return new Layout(type, bytes, more, version);
  }

  private Layout versioned(int number) {
    return new Layout(type, bytes, offsets, bytes | number << VERSION_SHIFT);
  }

  int offset(String field) {
    @Nullable Integer offset = offsets.get(field);
    if (offset == null) {
      throw new IllegalArgumentException(type + " has no field " + field);
    }
    return offset;
  }
}
