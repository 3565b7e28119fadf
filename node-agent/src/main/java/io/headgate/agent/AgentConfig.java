package io.headgate.agent;

import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Secret;
import io.headgate.kit.config.Setting;
import io.headgate.type.NameRule;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// How an agent runs.
public record AgentConfig(
    @Setting(meaning = "Directory of the agent's files. Two agents never share one.") Path data,
    @Setting(meaning = "Id that the machine gets when it joins.", absent = "host name")
        Optional<String> node,
    @Setting(meaning = "Address of all services, unless `endpoints` names others.")
        @Default("http://127.0.0.1:7400")
        URI server,
    @Setting(meaning = "Addresses of single services that are elsewhere.") Endpoints endpoints,
    @Setting(meaning = "Token with which the machine joins. It is needed once.")
        Optional<Secret> joinToken,
    @Setting(
            meaning =
                "File that holds the join token. It may be deleted after the " + "machine joined.")
        Optional<Path> joinFile,
    @Setting(
            meaning = "GPUs that do not exist, for trying out.",
            bound = "such as 8xH100, 2xA100-80GiB, 2xH100-mig, 4xMI300X-amd or 0; at most 256")
        Optional<String> simulateGpus,
    @Setting(meaning = "GPUs of the machine, unless they are simulated.") GpuConfig gpu,
    @Setting(meaning = "Isolation of jobs from the machine and from each other.") WallsConfig walls,
    @Setting(meaning = "Jobs that name an image.") ContainersConfig containers,
    @Setting(meaning = "Jobs as pods of the Kubernetes node that the agent is on.")
        KubernetesConfig kubernetes,
    @Setting(meaning = "Jobs with several workers.") GangConfig gang,
    @Setting(
            meaning = "Cores for jobs.",
            bound = "at least 1",
            absent = "those of the machine, or 16 for each simulated GPU if that is more")
        Optional<Integer> cpus,
    @Setting(
            meaning = "Memory for jobs.",
            absent = "that of the machine, or 128GiB for each simulated GPU if that " + "is more")
        Optional<ByteSize> memory,
    @Setting(
            meaning =
                "Root of the jobs' checkpoint directories. Put it on storage "
                    + "that machines share, so that a job can resume on another "
                    + "machine.",
            absent = "a directory below `data`")
        Optional<Path> checkpoints,
    @Setting(
            meaning =
                "Storage that machines share, by the name by which pools refer to it. Jobs of such "
                    + "a pool have their checkpoint directories there. The agent makes no "
                    + "directory that is missing, so name one below the mount.",
            bound = "at most 16; absolute",
            absent = "none")
        Map<String, Path> storages,
    @Setting(meaning = "Output of jobs.") Logs logs,
    @Setting(meaning = "Kept files of ended attempts. The first limit that is reached " + "counts.")
        Keep keep) {
  private static final int MOST_STORAGES = 16;

  /// Addresses of services that are not at `server`.
  public record Endpoints(
      @Setting(meaning = "Address of policy-service.", absent = "`server`") Optional<URI> policy,
      @Setting(meaning = "Address of pool-service.", absent = "`server`") Optional<URI> pool,
      @Setting(meaning = "Addresses of the schedulers.", absent = "`server`") List<URI> schedulers,
      @Setting(meaning = "PEM file of the certificates to trust.", absent = "those of the system")
          Optional<Path> trust) {
    public static final Endpoints DEFAULTS =
        new Endpoints(Optional.empty(), Optional.empty(), List.of(), Optional.empty());
  }

  /// The output of jobs: files of this size per stream are kept, and each line may be sent on.
  public record Logs(
      @Setting(meaning = "Size of one file of output.", bound = "at least 4KiB") ByteSize fileSize,
      @Setting(meaning = "Files of output that are kept for each stream.", bound = "2 to 1000")
          int files,
      @Setting(
              meaning =
                  "Whether each line that jobs print is also sent to `telemetry.otlp-endpoint`. "
                      + "Readers there see the output of all tenants.")
          boolean export) {
    public static final Logs DEFAULTS = new Logs(ByteSize.ofMebibytes(4), 8, false);

    public Logs {
      Bounds.atLeast("logs.file-size", fileSize, new ByteSize(4096));
      Bounds.require(
          files >= 2 && files <= 1000, "logs.files", Integer.toString(files), "is not 2 to 1000");
    }
  }

  /// Limits for the files of ended attempts; the first limit reached counts.
  public record Keep(
      @Setting(meaning = "Ended attempts whose files are kept.", bound = "at least 0") int attempts,
      @Setting(
              meaning = "Time for which the files of an ended attempt are kept.",
              bound = "at least 0")
          Duration time,
      @Setting(
              meaning = "Size of the logs and work directories of ended attempts together.",
              absent = "a tenth of their file system")
          Optional<ByteSize> size) {
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
          "gpu.mps.use: auto cannot be combined with kubernetes.use, because pods cannot reach the"
              + " MPS daemons; leave it out");
    }
    // A pod has its cluster's.
    Bounds.require(
        !kubernetes.use() || walls.network() == WallsConfig.Network.MACHINE,
        "walls.network",
        "own",
        "cannot be combined with kubernetes.use; leave it out, and give the namespace of the pods"
            + " a NetworkPolicy");
    cpus.ifPresent(count -> Bounds.atLeast("cpus", count, 1));
    storages = Collections.unmodifiableMap(new LinkedHashMap<>(storages));
    Bounds.require(
        storages.size() <= MOST_STORAGES,
        "storages",
        Integer.toString(storages.size()),
        "are too many; at most " + MOST_STORAGES);
    storages.forEach((name, path) -> {
      Bounds.require(
          NameRule.isValid(name), "storages", "'" + name + "'", "is no name: " + NameRule.WORDS);
      Bounds.absolute("storages", path);
      Bounds.require(
          path.normalize().getNameCount() > 0,
          "storages",
          "'" + path + "'",
          "is all of the machine; name a directory below a mount");
      requireHidden("storages." + name, path, walls);
    });
    requireHidden("checkpoints", checkpoints.orElse(data.resolve("checkpoints")), walls);
  }

  /// A shared directory would show all that is below it: checkpoints of all jobs, too.
  private static void requireHidden(String key, Path root, WallsConfig walls) {
    Path hidden = root.toAbsolutePath().normalize();
    for (Path shared : walls.shared()) {
      Bounds.require(
          !hidden.startsWith(shared.normalize()),
          "walls.shared",
          "'" + shared + "'",
          "would show jobs the checkpoints of others, because agent.%s is %s; share directories beside it"
              .formatted(key, root));
    }
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
        GangConfig.DEFAULTS,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        Logs.DEFAULTS,
        Keep.DEFAULTS);
  }

  public AgentConfig withJoinToken(Secret token) {
    return copy(
        endpoints, Optional.of(token), simulateGpus, gpu, walls, checkpoints, storages, logs);
  }

  /// Returns a copy that connects to these schedulers instead of the one at the server.
  public AgentConfig withSchedulers(List<URI> replicas) {
    return copy(
        new Endpoints(endpoints.policy(), endpoints.pool(), replicas, endpoints.trust()),
        joinToken,
        simulateGpus,
        gpu,
        walls,
        checkpoints,
        storages,
        logs);
  }

  /// A copy with simulated devices.
  public AgentConfig withSimulatedGpus(String gpus) {
    return copy(endpoints, joinToken, Optional.of(gpus), gpu, walls, checkpoints, storages, logs);
  }

  /// A copy with the machine's own GPUs.
  public AgentConfig withGpus(GpuConfig gpus) {
    return copy(endpoints, joinToken, simulateGpus, gpus, walls, checkpoints, storages, logs);
  }

  /// Returns a copy with these walls.
  public AgentConfig withWalls(WallsConfig other) {
    return copy(endpoints, joinToken, simulateGpus, gpu, other, checkpoints, storages, logs);
  }

  public AgentConfig withCheckpoints(Path root) {
    return copy(endpoints, joinToken, simulateGpus, gpu, walls, Optional.of(root), storages, logs);
  }

  /// A copy with these storages, by name.
  public AgentConfig withStorages(Map<String, Path> named) {
    return copy(endpoints, joinToken, simulateGpus, gpu, walls, checkpoints, named, logs);
  }

  /// A copy that sends the output of jobs on, or does not.
  public AgentConfig withExportedOutput(boolean export) {
    return copy(
        endpoints,
        joinToken,
        simulateGpus,
        gpu,
        walls,
        checkpoints,
        storages,
        new Logs(logs.fileSize(), logs.files(), export));
  }

  private AgentConfig copy(
      Endpoints otherEndpoints,
      Optional<Secret> token,
      Optional<String> simulated,
      GpuConfig gpus,
      WallsConfig otherWalls,
      Optional<Path> root,
      Map<String, Path> named,
      Logs output) {
    return new AgentConfig(
        data,
        node,
        server,
        otherEndpoints,
        token,
        joinFile,
        simulated,
        gpus,
        otherWalls,
        containers,
        kubernetes,
        gang,
        cpus,
        memory,
        root,
        named,
        output,
        keep);
  }
}
