package io.headgate.agent.core;

import io.headgate.type.ImageReference;

/// The image whose files a job has instead of the machine's.
///
/// @param image with its registry (`registry.example/team/train:1.2`), so that no machine takes it
///   from elsewhere
public record Container(String image, PullPolicy pull) {
  /// When an image is fetched from its registry.
  public enum PullPolicy {
    /// Each time; unchanged layers are not transferred again.
    ALWAYS,
    IF_NOT_PRESENT,
    NEVER
  }

  public Container {
    ImageReference.parse(image);
  }

  /// The parsed image reference.
  public ImageReference reference() {
    return ImageReference.parse(image);
  }
}
