package io.headgate.agent.runtime.host;

import io.headgate.agent.container.Containers;
import io.headgate.agent.runtime.host.JobWalls.Wanted;
import io.headgate.type.ImageRules;
import java.io.IOException;
import java.util.Optional;

/// Whether this machine runs jobs with an image: they take users and namespaces of their own, and a
/// store of images.
///
/// @param rules which images may
public record ContainerUse(Wanted wanted, Containers.Settings settings, ImageRules rules) {
  /// Opens the container engine, if one is wanted and present.
  ///
  /// @param owner first part of the names of devices and copies, which tells them from those of
  ///   other agents
  /// @throws IOException when containers are required and unavailable
  public ContainerSupply open(String owner, JobWalls walls) throws IOException {
    if (wanted == Wanted.NONE) {
      return without("the configuration turns it off");
    }
    if (!walls.areUsers() || !walls.areNamespaces()) {
      return without("jobs have no users and mounts of their own here");
    }
    ContainerSupply supply = new ContainerSupply(() -> Containers.open(settings, owner));
    Optional<String> problem = supply.look();
    if (problem.isPresent()) {
      demandNot(problem.get());
    }
    return supply.lookingEvery(ContainerSupply.INTERVAL);
  }

  private ContainerSupply without(String problem) throws IOException {
    demandNot(problem);
    ContainerSupply none = ContainerSupply.none(problem);
    var _ = none.look();
    return none;
  }

  private void demandNot(String problem) throws IOException {
    if (wanted == Wanted.REQUIRED) {
      throw new IOException(
          "containers.use is required, but this node runs no jobs with an image: " + problem);
    }
  }
}
