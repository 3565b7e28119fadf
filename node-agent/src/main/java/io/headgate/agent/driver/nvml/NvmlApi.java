package io.headgate.agent.driver.nvml;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;

/// NVML's functions as the library exports them; each answers a status code.
///
/// Bound one by one at their first call, so a function that a driver does not have spoils no other.
interface NvmlApi extends Library {
  int nvmlInitWithFlags(int flags);

  int nvmlShutdown();

  String nvmlErrorString(int code);

  int nvmlSystemGetDriverVersion(byte[] version, int size);

  int nvmlDeviceGetCount_v2(IntByReference count);

  int nvmlDeviceGetHandleByIndex_v2(int index, PointerByReference device);

  int nvmlDeviceGetName(Pointer device, byte[] name, int size);

  int nvmlDeviceGetUUID(Pointer device, byte[] uuid, int size);

  int nvmlDeviceGetMinorNumber(Pointer device, IntByReference minor);

  int nvmlDeviceGetCudaComputeCapability(
      Pointer device, IntByReference major, IntByReference minor);

  int nvmlDeviceGetMemoryInfo_v2(Pointer device, Pointer memory);

  int nvmlDeviceGetMigMode(Pointer device, IntByReference current, IntByReference pending);

  int nvmlDeviceSetMigMode(Pointer device, int mode, IntByReference activation);

  int nvmlDeviceGetVirtualizationMode(Pointer device, IntByReference mode);

  int nvmlDeviceGetGpuInstanceProfileInfoV(Pointer device, int profile, Pointer info);

  int nvmlDeviceGetGpuInstancePossiblePlacements_v2(
      Pointer device, int profileId, Pointer placements, IntByReference count);

  int nvmlDeviceCreateGpuInstanceWithPlacement(
      Pointer device, int profileId, Pointer placement, PointerByReference instance);

  int nvmlDeviceGetGpuInstances(
      Pointer device, int profileId, Pointer instances, IntByReference count);

  int nvmlGpuInstanceGetInfo(Pointer instance, Pointer info);

  int nvmlGpuInstanceDestroy(Pointer instance);

  int nvmlGpuInstanceGetComputeInstanceProfileInfoV(
      Pointer instance, int profile, int engineProfile, Pointer info);

  int nvmlGpuInstanceCreateComputeInstance(
      Pointer instance, int profileId, PointerByReference computeInstance);

  int nvmlGpuInstanceGetComputeInstances(
      Pointer instance, int profileId, Pointer computeInstances, IntByReference count);

  int nvmlComputeInstanceGetInfo_v2(Pointer computeInstance, Pointer info);

  int nvmlComputeInstanceDestroy(Pointer computeInstance);

  int nvmlDeviceGetComputeRunningProcesses_v3(Pointer device, IntByReference count, Pointer infos);

  int nvmlDeviceGetGraphicsRunningProcesses_v3(Pointer device, IntByReference count, Pointer infos);

  int nvmlDeviceGetMPSComputeRunningProcesses_v3(
      Pointer device, IntByReference count, Pointer infos);

  /// Since driver 615.
  int nvmlDeviceSetMemoryLimits_v1(Pointer device, Pointer limits);
}
