package io.headgate.type;

import java.util.Optional;

/// The full reference that an image name stands for, with defaults filled in: `docker.io/busybox`
/// and `index.docker.io/library/busybox:latest` are one image.
///
/// @param registry with its port, if it has one
/// @param repository path of the image in the registry
/// @param tag absent where there is a digest, which alone identifies the image
/// @param digest `sha256:…`
public record ImageReference(
    String registry, String repository, Optional<String> tag, Optional<String> digest) {
  private static final String DOCKER = "docker.io";

  /// Parses a name.
  ///
  /// @throws IllegalArgumentException if it does not name an image of a registry
  public static ImageReference parse(String name) {
    if (!ImageName.isValid(name)) {
      throw new IllegalArgumentException(
          "image '%s' must name its registry and be of the form registry.example/path/name:tag"
              .formatted(name));
    }
    int at = name.indexOf('@');
    String tagged = at < 0 ? name : name.substring(0, at);
    int slash = tagged.indexOf('/');
    // The registry may have a port, so a colon counts only after it.
    int colon = tagged.indexOf(':', slash);
    String path = tagged.substring(slash + 1, colon < 0 ? tagged.length() : colon);
    String tag = colon < 0 ? "latest" : tagged.substring(colon + 1);
    return of(
        tagged.substring(0, slash),
        path,
        at < 0 ? Optional.of(tag) : Optional.empty(),
        at < 0 ? Optional.empty() : Optional.of(name.substring(at + 1)));
  }

  /// Docker's registry has two names, and names of its own images omit their directory.
  static ImageReference of(
      String registry, String path, Optional<String> tag, Optional<String> digest) {
    boolean docker = registry.equals(DOCKER) || registry.equals("index." + DOCKER);
    return new ImageReference(
        docker ? DOCKER : registry,
        docker && path.indexOf('/') < 0 ? "library/" + path : path,
        tag,
        digest);
  }

  /// The full form: `docker.io/library/busybox:latest`.
  @Override
  public String toString() {
    return registry
        + "/"
        + repository
        + tag.map(word -> ":" + word).orElse("")
        + digest.map(word -> "@" + word).orElse("");
  }
}
