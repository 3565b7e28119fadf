package io.headgate.agent.runtime;

import io.headgate.agent.container.Containers;
import io.headgate.agent.core.ImageRules;
import io.headgate.agent.runtime.JobWalls.Wanted;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether this machine runs jobs with an image: they take users and namespaces of their own, and a
/// store of images.
///
/// @param rules which images may
public record ContainerUse(Wanted wanted, Containers.Settings settings, ImageRules rules) {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerUse.class);

  /// Tries it.
  ///
  /// @param agent tells it from others on the machine
  /// @throws IOException when they are required, and cannot be had
  Optional<Containers> open(String agent, JobWalls walls) throws IOException {
    if (wanted == Wanted.NONE) {
      LOG.info("jobs with an image do not run here: the configuration says so");
      return Optional.empty();
    }
    try {
      if (!walls.areUsers() || !walls.areNamespaces()) {
        throw new IOException("jobs have no users and mounts of their own here");
      }
      Containers containers = Containers.open(settings, agent);
      LOG.info("jobs with an image have its files by {}", containers.description());
      return Optional.of(containers);
    } catch (IOException e) {
      if (wanted == Wanted.REQUIRED) {
        throw new IOException(
            "containers.use is required, and cannot be had: " + e.getMessage(), e);
      }
      LOG.info("jobs with an image do not run here: {}", e.getMessage());
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a store of images was tried", e);
    }
  }
}
