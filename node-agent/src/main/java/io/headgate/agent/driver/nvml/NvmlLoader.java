package io.headgate.agent.driver.nvml;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

/// Finds NVML on this machine, and says in one sentence why there is none.
final class NvmlLoader {
  private static final int NO_GPUS_IS_FINE = 1;

  private NvmlLoader() {}

  /// Loads the library and initialises it.
  ///
  /// @param library name or path
  /// @throws NvmlUnavailableException when it is not there or does not work
  static Nvml open(String library) {
    NativeLibrary loaded;
    try {
      loaded = NativeLibrary.getInstance(library);
    } catch (LinkageError e) {
      // Also when JNA's own library cannot be unpacked: perhaps nothing in /tmp may be executed.
      throw notLoaded(library, String.valueOf(e.getMessage()));
    }
    List<String> missing =
        Arrays.stream(NvmlApi.class.getDeclaredMethods())
            .map(Method::getName)
            .filter(name -> !name.equals(Nvml.SET_MEMORY_LIMITS) && !has(loaded, name))
            .sorted()
            .toList();
    if (!missing.isEmpty()) {
      throw new NvmlUnavailableException(
          "%s is of a driver that is too old: it lacks %s".formatted(library, missing.getFirst()),
          false);
    }
    NvmlApi api = Native.load(library, NvmlApi.class);
    int code = api.nvmlInitWithFlags(NO_GPUS_IS_FINE);
    return switch (NvmlStatus.of(code)) {
      case SUCCESS -> new Nvml(api, has(loaded, Nvml.SET_MEMORY_LIMITS));
      case DRIVER_NOT_LOADED ->
          throw new NvmlUnavailableException(
              "the NVIDIA driver is not loaded (%s is there; modprobe nvidia)".formatted(library),
              false);
      case LIB_RM_VERSION_MISMATCH ->
          throw new NvmlUnavailableException(
              "%s is of another version than the loaded NVIDIA driver; restart the machine"
                  .formatted(library),
              false);
      default ->
          throw new NvmlUnavailableException(
              "%s does not start: %s (%d)".formatted(library, api.nvmlErrorString(code), code),
              false);
    };
  }

  private static NvmlUnavailableException notLoaded(String library, String problem) {
    // Its second line is what the linker says; of a library that this one needs it names that one.
    String said = problem.lines().skip(1).findFirst().orElse(problem).strip();
    boolean absent = said.startsWith(library + ":") && said.contains("No such file");
    return absent
        ? new NvmlUnavailableException("no NVIDIA driver: %s is not here".formatted(library), true)
        : new NvmlUnavailableException(library + " cannot be loaded: " + said, false);
  }

  private static boolean has(NativeLibrary library, String function) {
    try {
      library.getFunction(function);
      return true;
    } catch (UnsatisfiedLinkError _) {
      return false;
    }
  }
}
