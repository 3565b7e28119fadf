package io.headgate.agent.container;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The engines of a machine that keep images.
///
/// @param wanted which one
/// @param podman its program
/// @param containerd the program of its client, `ctr`
/// @param docker the program of its client
/// @param mounts where images are mounted whose engine does not mount them itself
/// @param pullTimeout how long an image may take
public record ImageStores(
    Wanted wanted, Path podman, Path containerd, Path docker, Path mounts, Duration pullTimeout) {
  /// Which engine is used.
  public enum Wanted {
    /// The first that works: podman, containerd, docker.
    AUTO,
    PODMAN,
    CONTAINERD,
    DOCKER
  }

  /// Tries it.
  ///
  /// @throws IOException why there is none
  ImageStore open() throws IOException, InterruptedException {
    if (wanted != Wanted.AUTO) {
      return open(wanted);
    }
    List<String> problems = new ArrayList<>();
    for (Wanted engine : List.of(Wanted.PODMAN, Wanted.CONTAINERD, Wanted.DOCKER)) {
      try {
        return open(engine);
      } catch (IOException e) {
        problems.add(e.getMessage());
      }
    }
    throw new IOException(String.join("; ", problems));
  }

  private ImageStore open(Wanted engine) throws IOException, InterruptedException {
    return switch (engine) {
      case PODMAN -> Podman.open(podman, pullTimeout);
      case CONTAINERD -> Containerd.open(containerd, ImageMounts.in(mounts), pullTimeout);
      case DOCKER -> Docker.open(docker, ImageMounts.in(mounts), pullTimeout);
      case AUTO -> throw new IllegalArgumentException("no engine is called auto");
    };
  }
}
