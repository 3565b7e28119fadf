package io.headgate.agent.container;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.driver.SlicePaths;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The slices of attempts as devices that container engines know.
public final class SliceDevices {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private final CdiDirectory cdi;
  private final String owner;
  private final List<Path> lent;

  /// The slice devices of one agent.
  ///
  /// @param cdi where engines look for specifications
  /// @param lent files and directories of the machine that come with every device, at their place
  /// @param owner first part of their names, which tells them from those of other agents; short,
  ///   because names of files hold it beside three ids
  public SliceDevices(Path cdi, List<Path> lent, String owner) {
    this.owner = owner;
    this.cdi = new CdiDirectory(cdi, owner);
    this.lent = List.copyOf(lent);
  }

  /// Tells engines of an attempt's slices.
  ///
  /// @return the device by its full name
  public String tell(
      AttemptKey attempt,
      SortedMap<String, String> environment,
      List<DeviceNode> nodes,
      SlicePaths paths)
      throws IOException {
    List<CdiSpec.Mount> mounts = new ArrayList<>();
    paths.shown().forEach(path -> mounts.add(new CdiSpec.Mount(path, path, false)));
    paths
        .sharedMemory()
        .ifPresent(path -> mounts.add(new CdiSpec.Mount(path, SHARED_MEMORY, false)));
    lent.forEach(path -> mounts.add(new CdiSpec.Mount(path, path, true)));
    cdi.write(new CdiSpec(name(attempt), environment, nodes, mounts));
    return CdiSpec.KIND + "=" + name(attempt);
  }

  /// The read-only files and directories that come with every device.
  public List<Path> lent() {
    return lent;
  }

  /// Removes the device of an attempt of which nothing lives any more.
  public void remove(AttemptKey attempt) throws IOException {
    cdi.remove(name(attempt));
  }

  /// Removes those of others than these.
  public void retain(Collection<AttemptKey> live) throws IOException {
    cdi.retain(live.stream().map(this::name).collect(Collectors.toCollection(TreeSet::new)));
  }

  /// The prefix of all names that this agent makes.
  String prefix() {
    return owner + ".";
  }

  String name(AttemptKey attempt) {
    return prefix() + attempt.directoryName();
  }
}
