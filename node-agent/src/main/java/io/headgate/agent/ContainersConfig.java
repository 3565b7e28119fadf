package io.headgate.agent;

import io.headgate.agent.container.Containers;
import io.headgate.agent.container.ImageStores;
import io.headgate.agent.runtime.host.ContainerUse;
import io.headgate.agent.runtime.host.JobWalls.Wanted;
import io.headgate.type.ImagePattern;
import io.headgate.type.ImageRules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Jobs with an image. They take users and namespaces of their own.
///
/// @param use whether the node runs such jobs
/// @param store where images come from
/// @param images patterns of those that may run, also in pods; absent: all
/// @param requireDigest whether they have to be named by their digest
/// @param podman its program
/// @param containerd the program of its client
/// @param docker the program of its client
/// @param mounts where the files of images are mounted that containerd or docker keeps
/// @param cdi where container engines look for devices that come and go
/// @param lend files and directories of the machine that all containers find at their place,
///   read-only: the libraries of a GPU driver
/// @param pullTimeout how long an image may take
public record ContainersConfig(
    Wanted use,
    ImageStores.Wanted store,
    Optional<List<String>> images,
    boolean requireDigest,
    Path podman,
    Path containerd,
    Path docker,
    Path mounts,
    Path cdi,
    List<Path> lend,
    Duration pullTimeout) {
  public static final ContainersConfig DEFAULTS =
      new ContainersConfig(
          Wanted.AUTO,
          ImageStores.Wanted.AUTO,
          Optional.empty(),
          false,
          Path.of("/usr/bin/podman"),
          Path.of("/usr/bin/ctr"),
          Path.of("/usr/bin/docker"),
          Path.of("/run/headgate-images"),
          Path.of("/var/run/cdi"),
          List.of(),
          Duration.ofMinutes(30));

  public static final ContainersConfig NONE = DEFAULTS.using(Wanted.NONE);

  public ContainersConfig {
    lend = List.copyOf(lend);
    images = images.map(List::copyOf);
    if (images.isPresent() && images.get().isEmpty()) {
      throw new IllegalArgumentException(
          "containers.images: [] would let no image run; leave it out for all, or say"
              + " containers.use: none");
    }
    var _ = rules(images, requireDigest);
    for (Path path : lend) {
      Bounds.require(
          path.isAbsolute() && path.normalize().equals(path) && path.getNameCount() > 0,
          "containers.lend",
          "'" + path + "'",
          "is not an absolute path without '..'; name a file or a directory below /");
    }
    Bounds.absolute("containers.podman", podman);
    Bounds.absolute("containers.containerd", containerd);
    Bounds.absolute("containers.docker", docker);
    Bounds.absolute("containers.mounts", mounts);
    Bounds.absolute("containers.cdi", cdi);
    // The kernel's table of mounts, and the options of one, write them otherwise.
    Bounds.require(
        mounts.toString().matches("[^\\s,:\\\\]*"),
        "containers.mounts",
        "'" + mounts + "'",
        "must have no space, comma, colon or backslash; name another directory");
    Bounds.atLeast("containers.pull-timeout", pullTimeout, Duration.ofSeconds(1));
  }

  /// Returns a copy with this use.
  public ContainersConfig using(Wanted wanted) {
    return new ContainersConfig(
        wanted,
        store,
        images,
        requireDigest,
        podman,
        containerd,
        docker,
        mounts,
        cdi,
        lend,
        pullTimeout);
  }

  /// The settings in the form that the runtime takes.
  public ContainerUse settings() {
    return new ContainerUse(
        use,
        new Containers.Settings(
            new ImageStores(store, podman, containerd, docker, mounts, pullTimeout), cdi, lend),
        rules(images, requireDigest));
  }

  private static ImageRules rules(Optional<List<String>> images, boolean requireDigest) {
    try {
      return new ImageRules(
          images.map(texts -> texts.stream().map(ImagePattern::parse).toList()), requireDigest);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("containers.images: " + e.getMessage(), e);
    }
  }
}
