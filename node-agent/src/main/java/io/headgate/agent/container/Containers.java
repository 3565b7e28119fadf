package io.headgate.agent.container;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Container;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.driver.SliceRooms;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What attempts with an image need beside what all have: its files, and their slices told to
/// container engines. Nothing of it runs anything; that is their supervisors' part, as of all.
public final class Containers {
  private static final Logger LOG = LoggerFactory.getLogger(Containers.class);
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private final ImageStore images;
  private final CdiDirectory cdi;
  private final String owner;
  private final List<Path> lent;

  /// How containers are made.
  ///
  /// @param podman its path
  /// @param cdi where engines look for specifications
  /// @param lent files and directories of the machine that all containers find at their place
  /// @param pullTimeout how long an image may take
  public record Settings(Path podman, Path cdi, List<Path> lent, Duration pullTimeout) {
    public Settings {
      lent = List.copyOf(lent);
    }
  }

  private Containers(ImageStore images, Settings settings, String owner) {
    this.images = images;
    this.cdi = new CdiDirectory(settings.cdi(), owner);
    this.owner = owner;
    this.lent = settings.lent();
  }

  /// Tries what they need.
  ///
  /// @param agent tells it from others on the machine
  /// @throws IOException why there can be none
  public static Containers open(Settings settings, String agent)
      throws IOException, InterruptedException {
    // Short, because it is a part of file names, beside three ids.
    return new Containers(
        Podman.open(settings.podman(), settings.pullTimeout()),
        settings,
        Integer.toHexString(agent.hashCode()));
  }

  /// What runs them, for people.
  public String description() {
    return images.description();
  }

  /// The files of an attempt's image.
  ///
  /// @param abandoned asked often: nobody wants them any more
  /// @throws ImageStore.ImageException when the image cannot be had
  public ImageStore.Image open(AttemptKey attempt, Container container, BooleanSupplier abandoned)
      throws IOException, InterruptedException {
    return images.open(copyOf(name(attempt)), container.image(), container.pull(), abandoned);
  }

  /// Tells engines of an attempt's slices.
  public void tell(
      AttemptKey attempt,
      SortedMap<String, String> environment,
      List<DeviceNode> nodes,
      SliceRooms rooms)
      throws IOException {
    List<CdiSpec.Mount> mounts = new ArrayList<>();
    rooms.shown().forEach(path -> mounts.add(new CdiSpec.Mount(path, path, false)));
    rooms
        .sharedMemory()
        .ifPresent(path -> mounts.add(new CdiSpec.Mount(path, SHARED_MEMORY, false)));
    lent.forEach(path -> mounts.add(new CdiSpec.Mount(path, path, true)));
    cdi.write(new CdiSpec(name(attempt), environment, nodes, mounts));
  }

  /// What containers find of the machine, read-only.
  public List<Path> lent() {
    return lent;
  }

  /// Removes what there is for an attempt of which nothing lives any more.
  public void remove(AttemptKey attempt) throws IOException {
    cdi.remove(name(attempt));
    try {
      images.remove(copyOf(name(attempt)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a container was removed", e);
    }
  }

  /// Called once, before anything is made: removes what is there for others than these.
  public void recover(Collection<AttemptKey> live) throws IOException {
    Set<String> names =
        live.stream().map(this::name).collect(Collectors.toCollection(TreeSet::new));
    cdi.retain(names);
    try {
      for (String copy : images.list(copyOf(owner + "."))) {
        if (names.stream().noneMatch(name -> copy.equals(copyOf(name)))) {
          LOG.info("removing {}, which an earlier agent left", copy);
          images.remove(copy);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while containers were looked for", e);
    }
  }

  private String name(AttemptKey attempt) {
    return owner + "." + attempt.directoryName();
  }

  private static String copyOf(String name) {
    return "headgate." + name;
  }
}
