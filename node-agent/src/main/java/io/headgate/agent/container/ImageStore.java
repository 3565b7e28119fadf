package io.headgate.agent.container;

import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.type.ImageReference;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/// Where the files of images come from, and the copies of them that containers have. All calls may
/// be repeated after a crash at any moment.
public interface ImageStore {
  /// Name and version, for people: `podman 4.3.1`.
  String description();

  /// Makes a copy-on-write copy of an image's files, in which mount points can be made. It replaces
  /// an earlier copy of the name.
  ///
  /// @param name of the copy
  /// @param abandoned polled often; true: the caller no longer wants the result
  /// @throws ImageException when the image is unavailable, or the call was abandoned
  /// @throws IOException when the store does not work
  Image open(String name, ImageReference image, PullPolicy pull, BooleanSupplier abandoned)
      throws IOException, InterruptedException;

  /// Removes a copy, if it is there.
  void remove(String name) throws IOException, InterruptedException;

  /// Names of all copies that begin so.
  List<String> list(String prefix) throws IOException, InterruptedException;

  /// A copy of an image's files.
  ///
  /// @param root a directory
  /// @param workingDirectory that the image names
  /// @param environment that the image names
  record Image(
      Path root, Optional<String> workingDirectory, SortedMap<String, String> environment) {
    public Image {
      environment = new TreeMap<>(environment);
    }
  }

  /// Tells why an image is unavailable.
  final class ImageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ImageException(String message) {
      super(message);
    }
  }
}
