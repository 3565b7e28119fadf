package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.type.GpuQuantity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Small builders for tests of the driver.
final class NvmlDriverFixture {
  static final Duration LONG = Duration.ofSeconds(60);

  private NvmlDriverFixture() {}

  static NvmlGpuDriver.Settings settings(FakeGpus gpus) {
    return new NvmlGpuDriver.Settings(
        gpus.library().toString(), LONG, MigSettings.KEEP, _ -> Optional.empty());
  }

  static NvmlGpuDriver.Settings patient(FakeGpus gpus, Duration patience) {
    return new NvmlGpuDriver.Settings(
        gpus.library().toString(), patience, MigSettings.KEEP, _ -> Optional.empty());
  }

  static NvmlGpuDriver.Settings removing(FakeGpus gpus) {
    return new NvmlGpuDriver.Settings(
        gpus.library().toString(), LONG, new MigSettings(false, true), _ -> Optional.empty());
  }

  static NvmlGpuDriver.Settings withCgroups(FakeGpus gpus, Path parent) {
    return new NvmlGpuDriver.Settings(
        gpus.library().toString(),
        LONG,
        MigSettings.KEEP,
        name -> Optional.of(parent.resolve(name)));
  }

  static NvmlGpuDriver open(NvmlGpuDriver.Settings settings) {
    return NvmlGpuDriver.open(settings, NvmlSteps.NONE);
  }

  static SliceGrant mig(int gpu, String gpus, String profile, int start, int size) {
    return new SliceGrant(
        gpu,
        FakeGpus.uuid(gpu),
        GpuQuantity.parse(gpus),
        0,
        Optional.of(new SlicePlace(profile, start, size)));
  }

  static SliceGrant part(int gpu, String gpus) {
    return new SliceGrant(gpu, FakeGpus.uuid(gpu), GpuQuantity.parse(gpus), 0);
  }

  static SlicePlan plan(NvmlGpuDriver driver, String job, SliceGrant grant) {
    AttemptKey key = Fixtures.key(job);
    return driver.plan(key, List.of(grant)).getFirst();
  }
}
