package io.headgate.type;

import java.util.List;
import java.util.Optional;

/// The images that a node's operator allows.
///
/// @param allowed empty: all images
/// @param digestRequired whether names must have a digest, so that a registry cannot substitute the
///   image
public record ImageRules(Optional<List<ImagePattern>> allowed, boolean digestRequired) {
  public static final ImageRules NONE = new ImageRules(Optional.empty(), false);

  /// The most patterns: the scheduler gets all of them.
  public static final int MAX_PATTERNS = 256;

  public ImageRules {
    allowed = allowed.map(List::copyOf);
    if (allowed.isPresent() && allowed.get().size() > MAX_PATTERNS) {
      throw new IllegalArgumentException(
          "%d image patterns are more than %d; use * and **"
              .formatted(allowed.get().size(), MAX_PATTERNS));
    }
  }

  /// Why the image may not run, and what to do; empty: it may.
  public Optional<String> problem(String name) {
    ImageReference image = ImageReference.parse(name);
    if (digestRequired && image.digest().isEmpty()) {
      return Optional.of(
          "image %s may not run on this node, which takes images by digest only (containers.require-digest); name it %s/%s@sha256:…"
              .formatted(image, image.registry(), image.repository()));
    }
    if (allowed.isPresent() && allowed.get().stream().noneMatch(each -> each.matches(image))) {
      return Optional.of(
          "image %s may not run on this node, which allows %s (containers.images); use one of these, or ask its operator"
              .formatted(image, PatternText.of(allowed.get())));
    }
    return Optional.empty();
  }
}
