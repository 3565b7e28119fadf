package io.headgate.agent;

import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Secret;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// How an agent runs.
///
/// @param data its own directory; two agents never share one
/// @param node id that the machine gets when it joins; absent: its host name
/// @param server where all services are, unless `endpoints` says otherwise
/// @param endpoints single services elsewhere
/// @param joinToken needed once, until the machine has joined
/// @param joinFile the same in a file, which may be deleted afterwards
/// @param simulateGpus COUNTxMODEL or COUNTxMODEL-MEMORY: devices that do not exist, for trying out
/// @param gpu the machine's own GPUs, unless they are simulated
/// @param walls around jobs
/// @param containers for jobs with an image
/// @param kubernetes for jobs as pods
/// @param cpus cores for jobs; absent: the machine's, or 16 for each simulated GPU if that is more
/// @param memory for jobs; absent: the machine's, or 128 GiB for each simulated GPU if that is more
/// @param checkpoints root of the jobs' checkpoint directories, perhaps on storage that machines
///   share; absent: in the data directory
/// @param logs how much output is kept
/// @param keep bounds of the files kept of ended attempts
public record AgentConfig(
    Path data,
    Optional<String> node,
    @Default("http://127.0.0.1:7400") URI server,
    Endpoints endpoints,
    Optional<Secret> joinToken,
    Optional<Path> joinFile,
    Optional<String> simulateGpus,
    GpuConfig gpu,
    WallsConfig walls,
    ContainersConfig containers,
    KubernetesConfig kubernetes,
    Optional<Integer> cpus,
    Optional<ByteSize> memory,
    Optional<Path> checkpoints,
    LogLimits logs,
    Keep keep) {

  /// Addresses of services that are not at `server`.
  ///
  /// @param schedulers replicas of the scheduler-service
  /// @param trust PEM file of certificates to trust instead of the system's
  public record Endpoints(
      Optional<URI> policy, Optional<URI> pool, List<URI> schedulers, Optional<Path> trust) {
    public static final Endpoints DEFAULTS =
        new Endpoints(Optional.empty(), Optional.empty(), List.of(), Optional.empty());
  }

  /// Limits of a job's kept output: files of this size per stream.
  public record LogLimits(ByteSize fileSize, int files) {
    public static final LogLimits DEFAULTS = new LogLimits(ByteSize.ofMebibytes(4), 8);

    public LogLimits {
      Bounds.atLeast("logs.file-size", fileSize, new ByteSize(4096));
      Bounds.require(
          files >= 2 && files <= 1000, "logs.files", Integer.toString(files), "is not 2 to 1000");
    }
  }

  /// Limits for the files of ended attempts; the first limit reached counts.
  ///
  /// @param size of their logs and work directories together; absent: a tenth of the file system
  ///   that they are on
  public record Keep(int attempts, Duration time, Optional<ByteSize> size) {
    public static final Keep DEFAULTS = new Keep(1000, Duration.ofDays(7), Optional.empty());

    public Keep {
      Bounds.atLeast("keep.attempts", attempts, 0);
      Bounds.atLeast("keep.time", time, Duration.ZERO);
    }
  }

  public AgentConfig {
    simulateGpus.ifPresent(SimulatedGpus::parse);
    if (simulateGpus.isPresent() && gpu.driver().isDemand()) {
      throw new IllegalArgumentException(
          "simulate-gpus does not work with gpu.driver %s, which demands real GPUs; leave one of the two out"
              .formatted(gpu.driver().name().toLowerCase(Locale.ROOT)));
    }
    if (kubernetes.use() && gpu.mps().use() != GpuConfig.Mps.Use.OFF) {
      throw new IllegalArgumentException(
          "gpu.mps.use: auto does not work with kubernetes.use, because pods cannot reach MPS"
              + " daemons; leave it out");
    }
    // A pod has its cluster's.
    Bounds.require(
        !kubernetes.use() || walls.network() == WallsConfig.Network.MACHINE,
        "walls.network",
        "own",
        "does not work with kubernetes.use; leave it out, and give the pods' namespace a"
            + " NetworkPolicy");
    cpus.ifPresent(count -> Bounds.atLeast("cpus", count, 1));
  }

  /// An agent with the defaults of everything but these, that leaves the machine's own GPUs alone:
  /// several of them in one process would each give the same GPUs away. Nor does it run containers.
  public static AgentConfig of(Path data, String node, URI server) {
    return new AgentConfig(
        data,
        Optional.of(node),
        server,
        Endpoints.DEFAULTS,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        GpuConfig.NONE,
        WallsConfig.DEFAULTS,
        ContainersConfig.NONE,
        KubernetesConfig.DEFAULTS,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        LogLimits.DEFAULTS,
        Keep.DEFAULTS);
  }

  public AgentConfig withJoinToken(Secret token) {
    return new AgentConfig(
        data,
        node,
        server,
        endpoints,
        Optional.of(token),
        joinFile,
        simulateGpus,
        gpu,
        walls,
        containers,
        kubernetes,
        cpus,
        memory,
        checkpoints,
        logs,
        keep);
  }

  /// Returns a copy that connects to these schedulers instead of the one at the server.
  public AgentConfig withSchedulers(List<URI> replicas) {
    return new AgentConfig(
        data,
        node,
        server,
        new Endpoints(endpoints.policy(), endpoints.pool(), replicas, endpoints.trust()),
        joinToken,
        joinFile,
        simulateGpus,
        gpu,
        walls,
        containers,
        kubernetes,
        cpus,
        memory,
        checkpoints,
        logs,
        keep);
  }

  /// A copy with simulated devices.
  public AgentConfig withSimulatedGpus(String gpus) {
    return new AgentConfig(
        data,
        node,
        server,
        endpoints,
        joinToken,
        joinFile,
        Optional.of(gpus),
        gpu,
        walls,
        containers,
        kubernetes,
        cpus,
        memory,
        checkpoints,
        logs,
        keep);
  }

  /// A copy with the machine's own GPUs.
  public AgentConfig withGpus(GpuConfig gpus) {
    return new AgentConfig(
        data,
        node,
        server,
        endpoints,
        joinToken,
        joinFile,
        simulateGpus,
        gpus,
        walls,
        containers,
        kubernetes,
        cpus,
        memory,
        checkpoints,
        logs,
        keep);
  }

  /// Returns a copy with these walls.
  public AgentConfig withWalls(WallsConfig other) {
    return new AgentConfig(
        data,
        node,
        server,
        endpoints,
        joinToken,
        joinFile,
        simulateGpus,
        gpu,
        other,
        containers,
        kubernetes,
        cpus,
        memory,
        checkpoints,
        logs,
        keep);
  }

  public AgentConfig withCheckpoints(Path root) {
    return new AgentConfig(
        data,
        node,
        server,
        endpoints,
        joinToken,
        joinFile,
        simulateGpus,
        gpu,
        walls,
        containers,
        kubernetes,
        cpus,
        memory,
        Optional.of(root),
        logs,
        keep);
  }
}
