package io.headgate.agent.core;

/// The image whose files a job has instead of the machine's.
///
/// @param image with its registry (`registry.example/team/train:1.2`), so that no machine takes it
///   from elsewhere
public record Container(String image, PullPolicy pull) {
  private static final int MAX_IMAGE = 512;

  /// The first part has a dot, or is `localhost`: nothing that a tool for images takes for a path
  /// of the machine (`dir:…`, `oci-archive:…`) or for an option is of that form.
  private static final String IMAGE =
      "(localhost|[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+)(:[0-9]{1,5})?"
          + "(/[a-z0-9]+((\\.|_{1,2}|-+)[a-z0-9]+)*)+"
          + "(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?";

  /// When an image is fetched from its registry.
  public enum PullPolicy {
    /// Each time; what has not changed is not transferred again.
    ALWAYS,
    IF_NOT_PRESENT,
    NEVER
  }

  public Container {
    if (image.length() > MAX_IMAGE || !image.matches(IMAGE)) {
      throw new IllegalArgumentException(
          "image '%s' must name its registry and be of the form registry.example/path/name:tag"
              .formatted(image));
    }
  }
}
