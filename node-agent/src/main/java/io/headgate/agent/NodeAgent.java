package io.headgate.agent;

import com.sun.management.OperatingSystemMXBean;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.grpc.Machine;
import io.headgate.agent.grpc.Membership;
import io.headgate.agent.process.BootClock;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.ProcessCapacity;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.runtime.Agent;
import io.headgate.agent.runtime.attempt.CheckpointRoots;
import io.headgate.agent.runtime.attempt.JobLimits;
import io.headgate.agent.runtime.attempt.VisibleFiles;
import io.headgate.agent.runtime.ledger.NodeIdentity;
import io.headgate.agent.runtime.ledger.Retention;
import io.headgate.agent.runtime.output.OutputReceiver;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.telemetry.OutputInstruments;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.agent.runtime.watch.MemoryWatch;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.pool.v1.JobFiles;
import io.headgate.type.FilesView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One agent, whole; several may live in one JVM, each with its own data directory and node id.
///
/// Its end stops no job, unless it is told to take them with it: every job has a supervisor of its
/// own, and the next agent with the same data directory adopts them.
public final class NodeAgent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeAgent.class);
  private static final int SIMULATED_CORES_PER_GPU = 16;
  private static final long SIMULATED_BYTES_PER_GPU = 128L << 30;
  private static final int MOST_SHOWN = 64;
  private static final Duration DELIVERY_PATIENCE = Duration.ofSeconds(10);

  private final GpuDriver driver;
  private final Optional<GpuLock> gpuLock;
  private final DeviceWatch devices;
  private final Agent agent;
  private final AgentInstruments instruments;
  private final Membership membership;
  private final CompletableFuture<Void> renewal = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  /// Opens the data directory; nothing runs yet.
  ///
  /// @throws UncheckedIOException when it cannot be used, or another agent uses it or the GPUs, or
  ///   those that the configuration demands are not there
  public NodeAgent(AgentConfig config, Telemetry telemetry, TimeSource time) {
    String nodeId = config.node().orElseGet(NodeAgent::hostNode);
    Path data = config.data().toAbsolutePath();
    // The cgroups of pods are their kubelet's.
    Cgroups cgroups = config.kubernetes().use() ? Cgroups.none() : Agent.cgroups(nodeId, data);
    boolean migAuto = migAuto(config.gpu().mig().mode(), data);
    this.driver = GpuDrivers.open(config, nodeId, cgroups, migAuto);
    try {
      this.gpuLock = lock(config.gpu().lock(), data);
    } catch (UncheckedIOException e) {
      driver.close();
      throw e;
    }
    this.instruments = new AgentInstruments(telemetry, time, nodeId);
    String bootId = BootClock.bootId();
    long cpuMillis = 1000L * cores(config, driver);
    long memoryBytes = memoryBytes(config, driver);
    Agent.Settings settings =
        settings(config, nodeId, bootId).on(capacity(config, driver, cpuMillis, memoryBytes));
    try {
      this.devices = new DeviceWatch(driver, config.gpu().health().interval(), time);
      this.agent =
          Agent.open(
              settings,
              driver,
              devices,
              instruments,
              output(config.logs(), nodeId, telemetry, time),
              time);
    } catch (IOException e) {
      driver.close();
      gpuLock.ifPresent(GpuLock::close);
      throw new UncheckedIOException(e);
    }
    Machine machine =
        new Machine(
            nodeId,
            hostname(),
            version(),
            bootId,
            cpuMillis,
            memoryBytes,
            config.storages().keySet().stream().sorted().toList(),
            agent.visibleFiles().flatMap(NodeAgent::jobFiles));
    this.membership =
        new Membership(
            agent,
            driver,
            devices,
            new Membership.Wiring(
                endpoints(config), machine, data, joinToken(config), telemetry, time));
    if (config.gpu().mig().mode() == GpuConfig.Mig.Mode.POOL
        && !migAuto
        && !driver.isSimulated()
        && !driver.devices().isEmpty()) {
      membership.onMigWanted(() -> renewal.complete(null));
    }
    observe(config);
  }

  private void observe(AgentConfig config) {
    instruments.observeDevices(driver, devices);
    if (config.gpu().health().dcgmNames()) {
      instruments.observeDevicesAsDcgm(driver, devices);
    }
    instruments.observeConnection(membership::isComplete);
  }

  /// Empty on a machine that does not tell its views of files apart.
  private static Optional<JobFiles> jobFiles(VisibleFiles files) {
    return FilesView.own()
        .map(view ->
            JobFiles.newBuilder()
                .setView(view)
                .setOwnUsers(files.ownUsers())
                .addAllHidden(
                    files.hidden().stream().map(Path::toString).limit(MOST_SHOWN).toList())
                .addAllShared(
                    files.shared().stream().map(Path::toString).limit(MOST_SHOWN).toList())
                .build());
  }

  /// The machine as jobs share it that request no cores and no memory; empty: they do not.
  private static Optional<JobLimits.Capacity> capacity(
      AgentConfig config, GpuDriver driver, long cpuMillis, long memoryBytes) {
    return config.walls().limits().unrequested() == WallsConfig.Limits.Unrequested.SHARE
        ? Optional.of(
            new JobLimits.Capacity(
                driver.devices().size(), cpuMillis, memoryBytes, ProcessCapacity.ofMachine()))
        : Optional.empty();
  }

  private static Optional<OutputReceiver> output(
      AgentConfig.Logs logs, String nodeId, Telemetry telemetry, TimeSource time) {
    return logs.export()
        ? telemetry
            .logOutput(OutputReceiver.SERVICE, OutputReceiver.class.getPackageName())
            .map(to ->
                new OutputReceiver(to, new OutputInstruments(telemetry, nodeId), nodeId, time))
        : Optional.empty();
  }

  private Optional<GpuLock> lock(GpuConfig.Lock config, Path data) {
    return config.use() && !driver.isSimulated() && !driver.devices().isEmpty()
        ? Optional.of(GpuLock.take(config, data))
        : Optional.empty();
  }

  /// The pool's last answer is stored, because it counts before the pool can be asked again.
  private static boolean migAuto(GpuConfig.Mig.Mode mode, Path data) {
    return switch (mode) {
      case KEEP -> false;
      case AUTO -> true;
      case POOL -> {
        try {
          yield NodeIdentity.load(data).filter(NodeIdentity::migAuto).isPresent();
        } catch (IOException _) {
          // The record is damaged: joining reports that, with the remedy.
          yield false;
        }
      }
    };
  }

  /// The settings of the agent that follow from its configuration.
  static Agent.Settings settings(AgentConfig config, String nodeId, String bootId) {
    Path data = config.data().toAbsolutePath();
    return new Agent.Settings(
        nodeId,
        data,
        new CheckpointRoots(
            config.checkpoints().orElseGet(() -> data.resolve("checkpoints")), config.storages()),
        new SupervisorSpec.Logs(config.logs().fileSize().bytes(), config.logs().files()),
        new Retention.Limits(
            config.keep().attempts(),
            config.keep().time(),
            config.keep().size().map(ByteSize::bytes)),
        new MemoryWatch.Settings(
            config.gpu().watchdog().interval(), config.gpu().watchdog().grace()),
        config.walls().settings(),
        config.containers().settings(),
        config.kubernetes().settings(nodeId, Agent.podOwner(nodeId, data)),
        config.gang().settings(endpoints(config).schedulers()),
        bootId);
  }

  /// Adopts what runs, then joins and serves in the background for as long as that takes.
  public void start() {
    try {
      agent.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    // An agent that can no longer obey must not look alive to the scheduler.
    var _ =
        agent.failure().whenCompleteAsync((_, _) -> membership.close(), Thread::startVirtualThread);
    devices.start(agent::post);
    membership.start();
  }

  /// Resource name of the node; empty before it has joined.
  public Optional<String> node() {
    return membership.node();
  }

  /// Its GPUs, as they can be given to jobs.
  public List<DeviceInfo> devices() {
    return driver.devices();
  }

  /// Whether it has joined and has reported its attempts, and a scheduler listens.
  public boolean isReady() {
    return membership.isComplete();
  }

  /// Completes, exceptionally, if the agent cannot continue (a full or broken disk). The jobs run
  /// on.
  public CompletableFuture<Void> failure() {
    return agent.failure();
  }

  /// Completes if another agent should take this one's place: the pool wants its GPUs divided,
  /// which is done at the start only. Until then this one continues.
  public CompletableFuture<Void> renewal() {
    return renewal;
  }

  /// Completes if the installation refuses this machine for good; see the log. The jobs run on.
  public CompletableFuture<Void> refusal() {
    return membership.refusal();
  }

  /// Ends the agent; the jobs run on under their supervisors. Only the first call does anything:
  /// another agent may use the data directory by the second.
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    membership.close();
    devices.close();
    try {
      agent.close();
    } catch (IOException e) {
      LOG.warn("the ledger could not be closed: {}", e.getMessage());
    }
    instruments.close();
    driver.close();
    gpuLock.ifPresent(GpuLock::close);
  }

  /// Stops every job in order, with its callback, waits for that, tells the scheduler, and ends.
  ///
  /// @param patience how long to wait; what runs then still is left to its supervisor
  /// @return whether every job has ended
  public boolean stopJobsAndClose(Duration patience) {
    boolean stopped = false;
    try {
      agent.stopAll().get(patience.toMillis(), TimeUnit.MILLISECONDS);
      stopped = true;
      deliver();
    } catch (TimeoutException _) {
      LOG.warn(
          "some jobs have not ended within {} s; they run on under their supervisors",
          patience.toSeconds());
    } catch (ExecutionException e) {
      LOG.error("the jobs cannot be stopped: {}", String.valueOf(e.getCause()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      close();
    }
    return stopped;
  }

  /// Gives the last updates a chance to arrive; otherwise the next start delivers them.
  private void deliver() throws InterruptedException, ExecutionException {
    try {
      agent.delivered().get(DELIVERY_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      LOG.info("the last updates could not be delivered; the next start delivers them");
    }
  }

  private static Membership.Endpoints endpoints(AgentConfig config) {
    AgentConfig.Endpoints named = config.endpoints();
    List<URI> schedulers =
        named.schedulers().isEmpty() ? List.of(config.server()) : named.schedulers();
    return new Membership.Endpoints(
        named.policy().orElse(config.server()),
        named.pool().orElse(config.server()),
        schedulers,
        named.trust());
  }

  private static Optional<Secret> joinToken(AgentConfig config) {
    return config
        .joinToken()
        .or(() ->
            config
                .joinFile()
                .filter(Files::exists)
                .map(file -> {
                  try {
                    return Secret.of(Files.readString(file).strip());
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }));
  }

  private static long cores(AgentConfig config, GpuDriver driver) {
    long real = Runtime.getRuntime().availableProcessors();
    return config
        .cpus()
        .map(Integer::longValue)
        .orElseGet(() ->
            driver.isSimulated()
                ? Math.max(real, (long) SIMULATED_CORES_PER_GPU * driver.devices().size())
                : real);
  }

  private static long memoryBytes(AgentConfig config, GpuDriver driver) {
    long real =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    return config
        .memory()
        .map(ByteSize::bytes)
        .orElseGet(() ->
            driver.isSimulated()
                ? Math.max(real, SIMULATED_BYTES_PER_GPU * driver.devices().size())
                : real);
  }

  static String version() {
    return Optional.ofNullable(NodeAgent.class.getPackage().getImplementationVersion())
        .orElse("development");
  }

  private static String hostname() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException _) {
      return "unknown";
    }
  }

  /// The host name in the form of an id.
  private static String hostNode() {
    String name = hostname().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    String trimmed = name.replaceAll("^[^a-z]+|-+$", "");
    String cut = trimmed.substring(0, Math.min(trimmed.length(), 63)).replaceAll("-+$", "");
    return cut.isEmpty() ? "node" : cut;
  }
}
