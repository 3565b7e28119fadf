package io.headgate.agent.container;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Container;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The image files of attempts, and their slices as devices for container engines. It runs no
/// process; the supervisors do that, as for every attempt.
public final class Containers {
  private static final Logger LOG = LoggerFactory.getLogger(Containers.class);
  private static final String PREFIX = "headgate.";

  private final ImageStore images;
  private final SliceDevices devices;

  /// How containers are made.
  ///
  /// @param stores where images come from
  /// @param cdi where engines look for specifications
  /// @param lent files and directories of the machine that all containers find at their place
  public record Settings(ImageStores stores, Path cdi, List<Path> lent) {
    public Settings {
      lent = List.copyOf(lent);
    }
  }

  private Containers(ImageStore images, SliceDevices devices) {
    this.images = images;
    this.devices = devices;
  }

  /// Opens the image stores and the directory of devices.
  ///
  /// @param owner first part of the names of devices and copies, which tells them from those of
  ///   other agents
  /// @throws IOException why there can be none
  public static Containers open(Settings settings, String owner)
      throws IOException, InterruptedException {
    return new Containers(
        settings.stores().open(), new SliceDevices(settings.cdi(), settings.lent(), owner));
  }

  /// The engine's name, for log messages.
  public String description() {
    return images.description();
  }

  /// Asks its engine for an answer.
  ///
  /// @throws IOException why there is none
  public void demandEngine() throws IOException, InterruptedException {
    var _ = images.list(PREFIX + devices.prefix());
  }

  /// The files of an attempt's image.
  ///
  /// @param abandoned polled often; true: the caller no longer wants the result
  /// @throws ImageStore.ImageException when the image is unavailable
  public ImageStore.Image open(AttemptKey attempt, Container container, BooleanSupplier abandoned)
      throws IOException, InterruptedException {
    return images.open(copyOf(attempt), container.reference(), container.pull(), abandoned);
  }

  /// The slices as devices of containers.
  public SliceDevices devices() {
    return devices;
  }

  /// Removes the devices of an attempt without live processes, and its copy of an image if the
  /// engine is there.
  public void remove(AttemptKey attempt) throws IOException {
    devices.remove(attempt);
    try {
      images.remove(copyOf(attempt));
    } catch (IOException e) {
      // Its slice is not held back for that; the next agent removes it.
      LOG.warn(
          "the image copy {} stays until the next start of the agent: {}",
          copyOf(attempt),
          e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a container was removed", e);
    }
  }

  /// Called before anything is made: removes the leftovers of all other attempts.
  public void recover(Collection<AttemptKey> live) throws IOException {
    devices.retain(live);
    Set<String> copies = live.stream().map(this::copyOf).collect(Collectors.toSet());
    try {
      for (String copy : images.list(PREFIX + devices.prefix())) {
        if (!copies.contains(copy)) {
          LOG.info("removing the image copy {}, which an earlier agent left", copy);
          images.remove(copy);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while containers were looked for", e);
    }
  }

  private String copyOf(AttemptKey attempt) {
    return PREFIX + devices.name(attempt);
  }
}
