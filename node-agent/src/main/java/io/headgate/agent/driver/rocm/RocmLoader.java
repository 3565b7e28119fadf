package io.headgate.agent.driver.rocm;

import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.VendorLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/// Finds ROCm SMI or AMD SMI on this machine, and says in one sentence why there is none.
final class RocmLoader {
  private RocmLoader() {}

  /// Loads the library and initialises it.
  ///
  /// @param libraries names or paths; the first that is there
  /// @param sysfs where the kernel shows its devices
  /// @throws GpuUnavailableException when it is not there or does not work
  static AmdLibrary open(List<String> libraries, Path sysfs) {
    VendorLibrary loaded = first(libraries);
    return loaded.has("amdsmi_init") ? amdSmi(loaded, sysfs) : rocmSmi(loaded, sysfs);
  }

  private static AmdLibrary rocmSmi(VendorLibrary loaded, Path sysfs) {
    RocmApi api = loaded.bind(RocmApi.class, Rocm.OF_MODES);
    requireDriver(loaded, sysfs);
    int status = api.rsmi_init(0);
    requireStarted(loaded, status, () -> Rocm.words(api, status));
    return new Rocm(api, Rocm.OF_MODES.stream().allMatch(loaded::has));
  }

  private static AmdLibrary amdSmi(VendorLibrary loaded, Path sysfs) {
    AmdSmiApi api = loaded.bind(AmdSmiApi.class, Set.of());
    requireDriver(loaded, sysfs);
    int status = api.amdsmi_init(AmdSmi.INIT_GPUS);
    requireStarted(loaded, status, () -> AmdSmi.words(api, status));
    return new AmdSmi(api, new Kfd(sysfs));
  }

  private static void requireDriver(VendorLibrary loaded, Path sysfs) {
    if (!Files.isDirectory(sysfs.resolve("module/amdgpu"))) {
      throw new GpuUnavailableException(
          "the amdgpu driver is not loaded (%s is there; modprobe amdgpu)".formatted(loaded),
          false);
    }
  }

  private static void requireStarted(VendorLibrary loaded, int status, Supplier<String> words) {
    if (status != 0) {
      throw new GpuUnavailableException(
          "%s does not start: %s (%d)".formatted(loaded, words.get(), status), false);
    }
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
        "no ROCm: the library %s is not installed".formatted(String.join(", ", libraries)), true);
  }
}
