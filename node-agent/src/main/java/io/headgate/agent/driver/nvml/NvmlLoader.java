package io.headgate.agent.driver.nvml;

import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.VendorLibrary;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/// Finds NVML on this machine, and says in one sentence why there is none.
final class NvmlLoader {
  private static final int NO_GPUS_IS_FINE = 1;

  private NvmlLoader() {}

  /// The library's functions that the agent cannot do without, and those of health.
  record Opened(Nvml nvml, NvmlHealth health) {}

  private static NvmlHealthApi health(VendorLibrary loaded) {
    return loaded.bind(
        NvmlHealthApi.class,
        Arrays.stream(NvmlHealthApi.class.getDeclaredMethods())
            .map(Method::getName)
            .collect(Collectors.toSet()));
  }

  /// Loads the library and initialises it.
  ///
  /// @param library name or path
  /// @throws GpuUnavailableException when it is not there or does not work
  static Opened open(String library) {
    VendorLibrary loaded = VendorLibrary.load(library, "NVIDIA driver");
    NvmlApi api = loaded.bind(NvmlApi.class, Set.of(Nvml.SET_MEMORY_LIMITS));
    int code = api.nvmlInitWithFlags(NO_GPUS_IS_FINE);
    return switch (NvmlStatus.of(code)) {
      case SUCCESS ->
          new Opened(
              new Nvml(api, loaded.has(Nvml.SET_MEMORY_LIMITS)),
              new NvmlHealth(health(loaded), loaded::has));
      case DRIVER_NOT_LOADED ->
          throw new GpuUnavailableException(
              "the NVIDIA driver is not loaded (%s is there; modprobe nvidia)".formatted(library),
              false);
      case LIB_RM_VERSION_MISMATCH ->
          throw new GpuUnavailableException(
              "%s is of another version than the loaded NVIDIA driver; restart the machine"
                  .formatted(library),
              false);
      default ->
          throw new GpuUnavailableException(
              "%s does not start: %s (%d)".formatted(library, api.nvmlErrorString(code), code),
              false);
    };
  }
}
