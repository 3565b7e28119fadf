package io.headgate.agent;

import io.headgate.agent.container.ImageStores;
import io.headgate.agent.runtime.host.JobWalls;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Copies of configurations that differ in the settings which a test names.
public final class TestConfigs {
  private TestConfigs() {}

  static AgentConfig with(AgentConfig config, ContainersConfig containers) {
    return copy(config, containers, config.kubernetes(), config.logs());
  }

  static AgentConfig with(AgentConfig config, KubernetesConfig kubernetes) {
    return copy(config, config.containers(), kubernetes, config.logs());
  }

  static AgentConfig with(AgentConfig config, AgentConfig.Logs logs) {
    return copy(config, config.containers(), config.kubernetes(), logs);
  }

  private static AgentConfig copy(
      AgentConfig config,
      ContainersConfig containers,
      KubernetesConfig kubernetes,
      AgentConfig.Logs logs) {
    return new AgentConfig(
        config.data(),
        config.node(),
        config.server(),
        config.endpoints(),
        config.joinToken(),
        config.joinFile(),
        config.simulateGpus(),
        config.gpu(),
        config.walls(),
        containers,
        kubernetes,
        config.gang(),
        config.cpus(),
        config.memory(),
        config.checkpoints(),
        config.storages(),
        logs,
        config.keep());
  }

  /// The default walls, with users, namespaces and the system call filter as wanted.
  static WallsConfig walls(JobWalls.Wanted wanted) {
    return walls(wanted, wanted, WallsConfig.DEFAULTS.network());
  }

  /// The default walls, with this network.
  static WallsConfig walls(WallsConfig.Network network) {
    return walls(WallsConfig.DEFAULTS.users(), WallsConfig.DEFAULTS.namespaces(), network);
  }

  private static WallsConfig walls(
      JobWalls.Wanted users, JobWalls.Wanted namespaces, WallsConfig.Network network) {
    WallsConfig defaults = WallsConfig.DEFAULTS;
    return new WallsConfig(
        users,
        defaults.firstUser(),
        defaults.userCount(),
        namespaces,
        network,
        users,
        defaults.metadata(),
        defaults.disk(),
        defaults.shared(),
        defaults.devices(),
        defaults.limits());
  }

  /// The same containers with all their files below this directory.
  public static ContainersConfig below(ContainersConfig config, Path directory) {
    return new ContainersConfig(
        config.use(),
        config.store(),
        config.images(),
        config.requireDigest(),
        config.podman(),
        config.containerd(),
        config.docker(),
        directory.resolve("images"),
        directory.resolve("cdi"),
        config.lend(),
        config.pullTimeout());
  }

  /// The same containers by this engine alone.
  static ContainersConfig by(ContainersConfig config, ImageStores.Wanted store, Path program) {
    return new ContainersConfig(
        config.use(),
        store,
        config.images(),
        config.requireDigest(),
        program,
        program,
        program,
        config.mounts(),
        config.cdi(),
        config.lend(),
        config.pullTimeout());
  }

  /// The same containers with these paths lent, and these patterns of images allowed; empty: all.
  static ContainersConfig lending(
      ContainersConfig config, List<Path> lend, Optional<List<String>> images) {
    return new ContainersConfig(
        config.use(),
        config.store(),
        images,
        config.requireDigest(),
        config.podman(),
        config.containerd(),
        config.docker(),
        config.mounts(),
        config.cdi(),
        lend,
        config.pullTimeout());
  }
}
