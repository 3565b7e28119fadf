package io.headgate.agent;

import io.headgate.agent.container.Containers;
import io.headgate.agent.container.ImageStores;
import io.headgate.agent.runtime.host.ContainerUse;
import io.headgate.agent.runtime.host.JobWalls.Wanted;
import io.headgate.kit.config.Setting;
import io.headgate.type.ImagePattern;
import io.headgate.type.ImageRules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Jobs with an image. They take users and namespaces of their own.
public record ContainersConfig(
    @Setting(
            meaning =
                "Whether the node runs jobs with an image. `auto`: where an "
                    + "engine works and jobs have users and namespaces of their own; "
                    + "`required`: the agent does not start without.")
        Wanted use,
    @Setting(
            meaning =
                "Engine that fetches and keeps images. `auto` takes the first "
                    + "that works: podman, containerd, docker.")
        ImageStores.Wanted store,
    @Setting(meaning = "Patterns of images that may run, also in pods.", absent = "all images")
        Optional<List<String>> images,
    @Setting(
            meaning =
                "Whether an image must be named by its digest. The writers of a "
                    + "registry decide what a tag means.")
        boolean requireDigest,
    @Setting(meaning = "Path of podman's program.", bound = "absolute") Path podman,
    @Setting(meaning = "Path of the program of containerd's client.", bound = "absolute")
        Path containerd,
    @Setting(meaning = "Path of the program of docker's client.", bound = "absolute") Path docker,
    @Setting(
            meaning = "Directory where images of containerd and docker are mounted.",
            bound = "absolute, without space, comma, colon and backslash")
        Path mounts,
    @Setting(
            meaning = "Directory where container engines look for devices that come " + "and go.",
            bound = "absolute")
        Path cdi,
    @Setting(
            meaning =
                "Files and directories of the machine that all containers find "
                    + "at their place, read-only, such as the libraries of a GPU "
                    + "driver.",
            bound = "absolute, without '..'")
        List<Path> lend,
    @Setting(meaning = "Longest time to fetch an image.", bound = "at least 1s")
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
