package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.NativeThread;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The usable GPUs of this machine, each with its known properties. Thread-safe.
final class UsableGpus {
  private static final Logger LOG = LoggerFactory.getLogger(UsableGpus.class);

  private final Nvml nvml;
  private final Discovery discovery;
  private final SortedMap<String, Gpu> gpus = new ConcurrentSkipListMap<>();

  /// Why MIG is off on GPUs that should be divided, by UUID.
  private final Map<String, DeviceSign.Undivided> undivided = new ConcurrentHashMap<>();

  /// Looks at each.
  ///
  /// @param patience how long a call may take
  UsableGpus(Nvml nvml, Discovery discovery, int count, Duration patience) {
    this.nvml = nvml;
    this.discovery = discovery;
    for (int i = 0; i < count; i++) {
      int index = i;
      NativeThread own = new NativeThread("GPU " + index, patience);
      try {
        Gpu gpu =
            own.call(
                () -> look(index, own, new NativeThread("the watch of GPU " + index, patience)));
        gpus.put(gpu.facts().uuid(), gpu);
      } catch (GpuDriverException | NvmlException | IllegalStateException e) {
        // One broken GPU must not take the others out of use.
        LOG.error("the agent does not use GPU {}: {}", index, e.getMessage());
        own.close();
      }
    }
  }

  private Gpu look(int index, NativeThread thread, NativeThread watchThread) {
    Nvml.Device handle = nvml.device(index);
    return new Gpu(
        discovery.device(index, handle), handle, thread, watchThread, nvml.processLists());
  }

  Collection<Gpu> all() {
    return gpus.values();
  }

  boolean has(String uuid) {
    return gpus.containsKey(uuid);
  }

  Gpu get(String uuid) {
    return Optional.ofNullable(gpus.get(uuid))
        .orElseThrow(() -> new GpuDriverException("this machine has no GPU " + uuid));
  }

  /// Turns MIG on where that is possible, and reads those GPUs anew.
  ///
  /// @param held UUIDs of GPUs of which jobs have slices
  void divide(MigMode mode, Set<String> held) {
    for (Gpu gpu : List.copyOf(gpus.values())) {
      if (gpu.facts().mig().isPresent()) {
        continue;
      }
      String uuid = gpu.facts().uuid();
      try {
        switch (obstacle(gpu, mode, held).orElseGet(() -> turnOn(gpu, mode))) {
          case MigMode.Outcome.TurnedOn _ -> {
            // Anything may be otherwise now, the number in the name of its file too.
            gpus.put(
                uuid, on(gpu, () -> look(gpu.facts().index(), gpu.thread(), gpu.watchThread())));
            LOG.info("MIG was turned on for {}, which no process used", gpu.words());
          }
          case MigMode.Outcome.LeftAlone(String why) ->
              LOG.info("MIG stays off for {}: {}", gpu.words(), why);
          case MigMode.Outcome.Refused(String why) -> {
            LOG.warn("MIG could not be turned on for {}: {}", gpu.words(), why);
            undivided.put(uuid, new DeviceSign.Undivided(why));
          }
        }
      } catch (GpuDriverException | IllegalStateException e) {
        // No slice can be placed on a GPU that may or may not be divided.
        LOG.error(
            "the agent does not use GPU {}, because its MIG mode is unknown: {}",
            uuid,
            e.getMessage());
        gpus.remove(uuid);
        gpu.close();
      }
    }
  }

  /// A call of its own, of which nothing is left to come when it has taken too long: no GPU is
  /// given up that is as it was.
  private static Optional<MigMode.Outcome> obstacle(Gpu gpu, MigMode mode, Set<String> held) {
    if (held.contains(gpu.facts().uuid())) {
      // Their processes need not be there yet.
      return Optional.of(new MigMode.Outcome.LeftAlone("jobs have slices of it"));
    }
    try {
      return gpu.thread().call(() -> mode.obstacle(gpu.handle()));
    } catch (GpuDriverException | NvmlException | IllegalStateException e) {
      return Optional.of(new MigMode.Outcome.Refused(String.valueOf(e.getMessage())));
    }
  }

  private static MigMode.Outcome turnOn(Gpu gpu, MigMode mode) {
    return on(gpu, () -> mode.turnOn(gpu.handle()));
  }

  /// The signs about the GPU's MIG mode.
  List<DeviceSign> signs(String uuid) {
    return Optional.<DeviceSign>ofNullable(undivided.get(uuid)).stream().toList();
  }

  static <T> T on(Gpu gpu, Callable<T> call) {
    return on(gpu, gpu.thread(), call);
  }

  static <T> T on(Gpu gpu, NativeThread from, Callable<T> call) {
    try {
      return from.call(call);
    } catch (NvmlException e) {
      throw new GpuDriverException(gpu.words() + ": " + e.getMessage());
    }
  }

  void close() {
    gpus.values().forEach(Gpu::close);
  }
}
