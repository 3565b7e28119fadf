package io.headgate.agent;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.core.SliceTable;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.qualify.Bench;
import io.headgate.agent.qualify.Polling;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.GpuQuantity;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One of this machine's GPUs, and an agent that differs from other agents only in lacking a
/// control plane.
final class AgentBench implements Bench, AutoCloseable {
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);
  private static final String ASKING = "asking";

  /// The settings of the bench.
  ///
  /// @param config of its agent
  /// @param crashing of the agent that is killed
  /// @param probe the program
  /// @param cuda CUDA's driver library, for the probe
  /// @param gpu index of the GPU
  /// @param another command of a process that opens a bench with the second configuration and
  ///   starts a job in it; the job's name, a part and the probe's words are appended
  record Settings(
      AgentConfig config,
      AgentConfig crashing,
      Path probe,
      String cuda,
      int gpu,
      List<String> another) {
    /// The settings of the bench in that process.
    Settings ofAnother() {
      return new Settings(crashing, crashing, probe, cuda, gpu, List.of());
    }
  }

  private final Settings settings;
  private final TimeSource time;
  private final StandaloneAgent agent;
  private final DeviceInfo gpu;
  private final AtomicReference<@Nullable Process> killed = new AtomicReference<>();
  private final AtomicReference<@Nullable StandaloneAgent> heir = new AtomicReference<>();

  /// @throws GpuUnavailableException when there is no GPU, as its driver says it
  AgentBench(Settings settings, TimeSource time) throws IOException {
    this.settings = settings;
    this.time = time;
    this.agent = new StandaloneAgent(settings.config(), time);
    List<DeviceInfo> gpus = agent.driver().devices();
    Optional<DeviceInfo> named =
        gpus.stream().filter(device -> device.index() == settings.gpu()).findFirst();
    if (named.isEmpty()) {
      throw without(gpus.size());
    }
    this.gpu = named.get();
  }

  private RuntimeException without(int gpus) throws IOException {
    agent.close();
    return gpus == 0
        ? new GpuUnavailableException("the driver shows no GPUs", false)
        : new IllegalArgumentException(
            "--gpu %d: this machine has %d".formatted(settings.gpu(), gpus));
  }

  @Override
  public GpuDriver driver() {
    return agent.driver();
  }

  @Override
  public DeviceInfo gpu() {
    return gpu;
  }

  @Override
  public SlicePlan plan(String job, int part) {
    return plan(StandaloneAgent.key(job), part(part));
  }

  private SlicePlan plan(AttemptKey key, SliceGrant grant) {
    return driver().plan(key, List.of(grant)).getFirst();
  }

  /// Halves of the GPU, or the first places of the smallest size.
  private SliceGrant part(int number) {
    return gpu.slices()
        .map(table -> places(table).get(number))
        .orElseGet(() ->
            new SliceGrant(
                gpu.index(), gpu.uuid(), new GpuQuantity(GpuQuantity.UNITS_PER_GPU / 2), 0));
  }

  private List<SliceGrant> places(SliceTable table) {
    SliceTable.Profile smallest =
        table.profiles().stream()
            .filter(profile -> profile.starts().size() > 1)
            .min(
                Comparator.comparingInt(SliceTable.Profile::memorySlices)
                    .thenComparingInt(SliceTable.Profile::computeSlices))
            .orElseThrow(() -> new GpuDriverException("this GPU has no two parts of one size"));
    GpuQuantity gpus =
        new GpuQuantity(
            GpuQuantity.UNITS_PER_GPU * smallest.computeSlices() / table.computeSlices());
    return smallest.starts().stream()
        .map(start -> {
          SlicePlace place = new SlicePlace(smallest.name(), start, smallest.memorySlices());
          return new SliceGrant(gpu.index(), gpu.uuid(), gpus, 0, Optional.of(place));
        })
        .toList();
  }

  @Override
  public void release(SlicePlan plan) throws IOException {
    agent.release(plan);
  }

  @Override
  public Job start(String job, int part, String... words) {
    agent.start(job, part(part), command(words));
    return agent.job(job);
  }

  private List<String> command(String... words) {
    return Stream.concat(Stream.of(settings.probe().toString(), settings.cuda()), Stream.of(words))
        .toList();
  }

  @Override
  public Job startAndAdopt(String job, int part, String... words)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(settings.another());
    command.addAll(List.of(job, Integer.toString(part)));
    command.addAll(List.of(words));
    Path data = settings.crashing().data().toAbsolutePath();
    Process other =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    killed.set(other);
    boolean ready =
        Polling.until(
            START_PATIENCE,
            () ->
                !other.isAlive() || isPrinted(data, job, "held") || isPrinted(data, job, "failed"));
    boolean lived = other.isAlive();
    var _ = other.destroyForcibly().waitFor();
    if (!ready || !lived) {
      throw new IOException("the first agent did not start its job before it was killed");
    }
    return heir().job(job);
  }

  /// Adopts the attempts that the killed agent left.
  private StandaloneAgent heir() throws IOException {
    StandaloneAgent opened = new StandaloneAgent(settings.crashing(), time);
    heir.set(opened);
    return opened;
  }

  private static boolean isPrinted(Path data, String job, String word) throws IOException {
    return !StandaloneAgent.printed(data, StandaloneAgent.key(job), word).isEmpty();
  }

  @Override
  public List<String> strangers() {
    return gpu.slices().map(this::instances).orElseGet(this::processes);
  }

  /// The foreign instances in the places of the smallest size.
  private List<String> instances(SliceTable table) {
    List<String> found = new ArrayList<>();
    for (SliceGrant place : places(table)) {
      try {
        driver().requireRoom(List.of(plan(StandaloneAgent.key(ASKING), place)));
      } catch (GpuDriverException e) {
        found.add(String.valueOf(e.getMessage()));
      }
    }
    return found;
  }

  /// The processes on the GPU, as a job with the whole GPU would see them.
  private List<String> processes() {
    SlicePlan all =
        plan(
            StandaloneAgent.key(ASKING),
            new SliceGrant(gpu.index(), gpu.uuid(), GpuQuantity.ONE, 0));
    driver().realise(all);
    try {
      return driver().processes(gpu.uuid()).join().stream().map(AgentBench::words).toList();
    } finally {
      driver().release(all);
    }
  }

  private static String words(GpuProcess process) {
    return "process %d (%s)"
        .formatted(
            process.pid(),
            ProcessHandle.of(process.pid())
                .flatMap(handle -> handle.info().commandLine())
                .orElse("its command is not visible"));
  }

  /// Ends all jobs that it has started.
  @Override
  public void close() throws IOException {
    @Nullable Process other = killed.get();
    if (other != null) {
      other.destroyForcibly();
      // If the test was interrupted between its death and the adoption of its remains, they are
      // adopted now.
      @Nullable StandaloneAgent opened = heir.get();
      (opened == null ? heir() : opened).close();
    }
    agent.close();
  }
}
