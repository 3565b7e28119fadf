package io.headgate.agent.driver.rocm;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// A partition of a GPU in the mode that the scheduler chose; the mode of one partition is all of
/// the GPU.
///
/// The mode is set when the first partition of an idle GPU is asked for, and stays until another
/// one is: a GPU without slices may have any. Nothing of a partition is made or removed by itself,
/// so after a crash the mode that is there tells all.
record AmdPartition(AmdLibrary library, NodeUse use, RocmSteps steps) implements AmdMechanism {
  private static final String MODE = "mode";
  private static final String PARTITION = "partition";

  @Override
  public String word() {
    return "partition";
  }

  @Override
  public IsolationLevel isolation() {
    return IsolationLevel.HARDWARE;
  }

  @Override
  public SlicePlan plan(AmdGpu gpu, AttemptKey attempt, int number, SliceGrant grant) {
    SlicePlace place =
        grant
            .place()
            .orElseThrow(() ->
                new GpuDriverException(
                    "GPU %d is divided by its modes, and the slice names none"
                        .formatted(gpu.index())));
    PartitionMode mode =
        PartitionMode.of(place.profile())
            .filter(known ->
                gpu.modes().contains(known)
                    && known.size() == place.size()
                    && place.start() % known.size() == 0)
            .orElseThrow(() ->
                new GpuDriverException(
                    "GPU %d has no partition %s of %d memory slices"
                        .formatted(gpu.index(), place, place.size())));
    TreeMap<String, String> placement = new TreeMap<>();
    placement.put(MODE, mode.name());
    placement.put(PARTITION, Integer.toString(place.start() / mode.size()));
    return new SlicePlan(
        attempt,
        number,
        grant,
        word(),
        isolation(),
        gpu.memoryBytes() / mode.partitions(),
        placement);
  }

  @Override
  public Optional<String> obstacle(AmdGpu gpu, SlicePlan plan) {
    boolean hasMode = mode(gpu).equals(Optional.of(wanted(plan)));
    List<Kfd.Node> needed =
        hasMode ? use.find(gpu, partition(plan)).map(List::of).orElse(List.of()) : use.nodes(gpu);
    return use.user(needed)
        .map(user ->
            hasMode
                ? "partition %d of %s is used by %s".formatted(partition(plan), gpu.words(), user)
                : "%s cannot be put into mode %s while it is used by %s"
                    .formatted(gpu.words(), wanted(plan), user));
  }

  @Override
  public Kfd.Node realise(AmdGpu gpu, SlicePlan plan) {
    PartitionMode wanted = wanted(plan);
    if (!mode(gpu).equals(Optional.of(wanted))) {
      set(gpu, wanted);
      steps.reached(RocmSteps.Step.MODE_SET);
      library.reopen();
      if (!mode(gpu).equals(Optional.of(wanted))) {
        throw new GpuDriverException(
            "%s was put into mode %s, but shows another mode".formatted(gpu.words(), wanted));
      }
    }
    return use.node(gpu, partition(plan));
  }

  /// By its name, which the kernel takes: AMD's libraries number the modes, and their versions
  /// differ.
  private void set(AmdGpu gpu, PartitionMode wanted) {
    try {
      use.kfd().write(gpu.address(), Kfd.MODE, wanted.name());
    } catch (IOException e) {
      throw new GpuDriverException(
          "%s cannot be put into mode %s%s: %s"
              .formatted(
                  gpu.words(),
                  wanted,
                  use.user(use.nodes(gpu)).map(user -> " while it is used by " + user).orElse(""),
                  e));
    }
  }

  @Override
  public void release(AmdGpu gpu, SlicePlan plan) {
    if (mode(gpu).equals(Optional.of(wanted(plan)))) {
      use.find(gpu, partition(plan)).ifPresent(node -> use.requireUnused(gpu, node));
    }
  }

  /// Empty: it has one that the agent never sets.
  private Optional<PartitionMode> mode(AmdGpu gpu) {
    return PartitionMode.of(library.mode(device(gpu)));
  }

  private AmdLibrary.Device device(AmdGpu gpu) {
    return library.devices().stream()
        .filter(device -> device.partition() == 0 && device.address().equals(gpu.address()))
        .findFirst()
        .orElseThrow(() -> new GpuDriverException("AMD's library does not show " + gpu.words()));
  }

  private static PartitionMode wanted(SlicePlan plan) {
    return PartitionMode.of(plan.placement().getOrDefault(MODE, ""))
        .orElseThrow(() -> new GpuDriverException("a slice without a mode: " + plan));
  }

  private static int partition(SlicePlan plan) {
    return Integer.parseInt(plan.placement().getOrDefault(PARTITION, "0"));
  }
}
