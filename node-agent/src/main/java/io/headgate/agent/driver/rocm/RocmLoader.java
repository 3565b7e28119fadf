package io.headgate.agent.driver.rocm;

import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.VendorLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// Finds ROCm SMI on this machine, and says in one sentence why there is none.
final class RocmLoader {
  private RocmLoader() {}

  /// Loads the library and initialises it.
  ///
  /// @param libraries names or paths; the first that is there
  /// @param sysfs where the kernel shows its devices
  /// @throws GpuUnavailableException when it is not there or does not work
  static Rocm open(List<String> libraries, Path sysfs) {
    VendorLibrary loaded = first(libraries);
    RocmApi api = loaded.bind(RocmApi.class, Set.of());
    if (!Files.isDirectory(sysfs.resolve("module/amdgpu"))) {
      throw new GpuUnavailableException(
          "the amdgpu driver is not loaded (%s is there; modprobe amdgpu)".formatted(loaded),
          false);
    }
    int status = api.rsmi_init(0);
    if (status != 0) {
      throw new GpuUnavailableException(
          "%s does not start: %s (%d)".formatted(loaded, Rocm.words(api, status), status), false);
    }
    return new Rocm(api);
  }

  private static VendorLibrary first(List<String> libraries) {
    for (String library : libraries) {
      try {
        return VendorLibrary.load(library, "ROCm");
      } catch (GpuUnavailableException e) {
        if (!e.isAbsent()) {
          throw e;
        }
      }
    }
    throw new GpuUnavailableException(
        "no ROCm: %s is not here".formatted(String.join(", ", libraries)), true);
  }
}
