package io.headgate.agent.driver.rocm;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A part of a GPU's memory to which the kernel's `dmem` controller (Linux 6.14) limits the cgroup
/// of the job. The agent tests that the kernel takes the limit. It is unproven that the kernel
/// counts the allocations of ROCm's programs. The slice therefore promises no more than a watched
/// one.
///
/// @param cgroups where the cgroup of an attempt is, by the name of the attempt
record DmemLimit(NodeUse use, Function<String, Optional<Path>> cgroups, RocmSteps steps)
    implements AmdMechanism {
  private static final String CGROUP = "cgroup";
  private static final String REGION = "region";
  private static final String LIMIT = "dmem.max";
  private static final String CAPACITY = "dmem.capacity";
  private static final String NO_LIMIT = "max";
  private static final String PROBE = "headgate-dmem-probe";

  @Override
  public String word() {
    return "dmem";
  }

  @Override
  public IsolationLevel isolation() {
    return IsolationLevel.REACTIVE;
  }

  /// Why the memory of a GPU cannot be limited so; empty: the kernel took a limit, for a moment.
  Optional<String> problem(AmdGpu gpu) {
    String region = region(gpu);
    Optional<Path> probe = cgroups.apply(PROBE);
    if (probe.isEmpty()) {
      return Optional.of("this machine has no cgroups for jobs");
    }
    try {
      if (!isKnown(probe.get(), region)) {
        return Optional.of("the kernel has no dmem controller, or it does not know " + region);
      }
      Files.createDirectories(probe.get());
      limit(probe.get(), region, gpu.memoryBytes() / 2);
      write(probe.get(), region, NO_LIMIT);
      return Optional.empty();
    } catch (IOException | GpuDriverException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } finally {
      remove(probe.get());
    }
  }

  /// The file with all regions is in the root of the hierarchy only.
  private static boolean isKnown(Path cgroup, String region) throws IOException {
    for (@Nullable Path above = cgroup; above != null; above = above.getParent()) {
      Path capacity = above.resolve(CAPACITY);
      if (Files.exists(capacity)) {
        return numberOf(capacity, region).isPresent();
      }
    }
    return false;
  }

  private static void remove(Path probe) {
    try {
      Files.deleteIfExists(probe);
    } catch (IOException _) {
      // It is empty and costs nothing; the next start tries it again.
    }
  }

  @Override
  public SlicePlan plan(AmdGpu gpu, AttemptKey attempt, int number, SliceGrant grant) {
    Path cgroup =
        cgroups
            .apply(attempt.directoryName())
            .orElseThrow(() -> new GpuDriverException("this machine has no cgroups for jobs"));
    TreeMap<String, String> placement = new TreeMap<>();
    placement.put(CGROUP, cgroup.toString());
    placement.put(REGION, region(gpu));
    return new SlicePlan(
        attempt,
        number,
        grant,
        word(),
        isolation(),
        grant.effectiveMemoryBytes(gpu.info()),
        placement);
  }

  @Override
  public Optional<String> obstacle(AmdGpu gpu, SlicePlan plan) {
    // Others have parts of it too; how much there is of it, the scheduler and the reconciler count.
    return Optional.empty();
  }

  @Override
  public Kfd.Node realise(AmdGpu gpu, SlicePlan plan) {
    Path cgroup = cgroup(plan);
    try {
      // Before the job, so that there is no moment at which it runs without a limit.
      Files.createDirectories(cgroup);
      limit(cgroup, plan.placement().getOrDefault(REGION, ""), plan.memoryLimitBytes());
    } catch (IOException e) {
      throw new GpuDriverException(
          "the memory of %s cannot be limited: %s".formatted(gpu.words(), e));
    }
    steps.reached(RocmSteps.Step.LIMIT_SET);
    return use.node(gpu, 0);
  }

  @Override
  public void release(AmdGpu gpu, SlicePlan plan) {
    Path cgroup = cgroup(plan);
    if (Files.exists(cgroup.resolve(LIMIT))) {
      try {
        write(cgroup, plan.placement().getOrDefault(REGION, ""), NO_LIMIT);
      } catch (IOException e) {
        throw new GpuDriverException(
            "the memory limit of %s cannot be removed: %s".formatted(plan.name(), e));
      }
      steps.reached(RocmSteps.Step.LIMIT_CLEARED);
    }
  }

  /// @throws GpuDriverException when the kernel shows another limit afterwards
  private static void limit(Path cgroup, String region, long bytes) throws IOException {
    write(cgroup, region, Long.toString(bytes));
    Optional<String> taken = numberOf(cgroup.resolve(LIMIT), region);
    if (!taken.equals(Optional.of(Long.toString(bytes)))) {
      throw new GpuDriverException(
          "the kernel did not accept a limit of %d bytes for %s; it shows %s"
              .formatted(bytes, region, taken.orElse("none")));
    }
  }

  private static void write(Path cgroup, String region, String value) throws IOException {
    Files.writeString(cgroup.resolve(LIMIT), region + " " + value + "\n", StandardOpenOption.WRITE);
  }

  private static Optional<String> numberOf(Path file, String region) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(region + " "))
          .map(line -> line.substring(region.length() + 1).strip())
          .findFirst();
    }
  }

  private static String region(AmdGpu gpu) {
    return "drm/%s/vram".formatted(gpu.address());
  }

  private static Path cgroup(SlicePlan plan) {
    return Path.of(plan.placement().getOrDefault(CGROUP, ""));
  }
}
