package io.headgate.agent.driver.nvml;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import org.jspecify.annotations.Nullable;

/// NVML's functions that tell how a GPU does; each answers a status code. A driver may lack any of
/// them, and a GPU may not support it.
interface NvmlHealthApi extends Library {
  int nvmlDeviceGetUtilizationRates(Pointer device, Pointer utilization);

  /// The computing time of each process.
  ///
  /// @param samples absent: only their number is asked for
  /// @param lastSeen only samples after this time, by the driver's clock
  int nvmlDeviceGetProcessUtilization(
      Pointer device, @Nullable Pointer samples, IntByReference count, long lastSeen);

  int nvmlDeviceGetTemperature(Pointer device, int sensor, IntByReference celsius);

  int nvmlDeviceGetPowerUsage(Pointer device, IntByReference milliwatts);

  int nvmlDeviceGetTotalEnergyConsumption(Pointer device, LongByReference millijoules);

  int nvmlDeviceGetTotalEccErrors(Pointer device, int type, int counter, LongByReference errors);

  int nvmlDeviceGetRemappedRows(
      Pointer device,
      IntByReference corrected,
      IntByReference uncorrected,
      IntByReference pending,
      IntByReference failed);

  int nvmlDeviceGetRetiredPagesPendingStatus(Pointer device, IntByReference pending);

  /// The older name, which newer drivers keep.
  int nvmlDeviceGetCurrentClocksThrottleReasons(Pointer device, LongByReference reasons);

  int nvmlDeviceGetFieldValues(Pointer device, int count, Pointer values);

  int nvmlEventSetCreate(PointerByReference set);

  int nvmlDeviceGetSupportedEventTypes(Pointer device, LongByReference types);

  int nvmlDeviceRegisterEvents(Pointer device, long types, Pointer set);

  int nvmlEventSetWait_v2(Pointer set, Pointer data, int timeoutMillis);

  int nvmlEventSetFree(Pointer set);
}
