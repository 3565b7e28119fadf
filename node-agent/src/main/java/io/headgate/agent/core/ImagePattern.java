package io.headgate.agent.core;

import io.headgate.type.ImageName;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/// Images that an operator means: `registry.example/team/**`, `docker.io/*`,
/// `nvcr.io/nvidia/pytorch:25.*-py3`, `registry.example/train@sha256:…`.
///
/// The registry is written out, with its port if images name one. In the path `*` stands for any
/// characters within a component, and a component `**` for one or several whole ones; in a tag `*`
/// stands for any characters. Without a tag and a digest any will do. With a tag only images are
/// meant that are fetched by it: one that names a digest, too, is not.
public final class ImagePattern {
  private static final String COMPONENTS = "**";

  private final String text;
  private final String registry;
  private final String path;
  private final Optional<String> tag;
  private final Optional<String> digest;

  private ImagePattern(String text, String path, ImageReference meant) {
    this.text = text;
    this.registry = meant.registry();
    this.path =
        Arrays.stream(path.split("/", -1))
            .map(part -> part.equals(COMPONENTS) ? "[^/]+(/[^/]+)*" : expression(part, "[^/]*"))
            .collect(Collectors.joining("/"));
    this.tag = meant.tag().map(word -> expression(word, ".*"));
    this.digest = meant.digest();
  }

  private static String expression(String word, String wild) {
    return word.replace(".", "\\.").replace("*", wild);
  }

  /// Reads one.
  ///
  /// @throws IllegalArgumentException when it is not understood
  public static ImagePattern parse(String text) {
    String example = text.replace(COMPONENTS, "x").replace('*', 'x');
    int slash = text.indexOf('/');
    if (!ImageName.isValid(example) || text.substring(0, slash).contains("*")) {
      throw refused(
          text, "is not of the form registry.example/path/name:tag, with * behind the registry");
    }
    int at = text.indexOf('@');
    String tagged = at < 0 ? text : text.substring(0, at);
    int colon = tagged.indexOf(':', slash);
    String path = tagged.substring(slash + 1, colon < 0 ? tagged.length() : colon);
    if (at >= 0 && (colon >= 0 || text.indexOf('*', at) >= 0)) {
      throw refused(
          text, "must have a whole digest, and no tag beside it, which would mean nothing");
    }
    for (String part : path.split("/", -1)) {
      if (part.contains(COMPONENTS) && !part.equals(COMPONENTS)) {
        throw refused(text, "must have ** between slashes only");
      }
    }
    ImageReference meant =
        ImageReference.of(
            text.substring(0, slash),
            path,
            colon < 0 ? Optional.empty() : Optional.of(tagged.substring(colon + 1)),
            at < 0 ? Optional.empty() : Optional.of(text.substring(at + 1)));
    // All of a registry is not only what is where its own images are.
    return new ImagePattern(text, path.equals(COMPONENTS) ? path : meant.repository(), meant);
  }

  private static IllegalArgumentException refused(String text, String problem) {
    return new IllegalArgumentException("image pattern '%s' %s".formatted(text, problem));
  }

  /// Whether the image is one of those.
  public boolean matches(ImageReference image) {
    return image.registry().equals(registry)
        && image.repository().matches(path)
        && (tag.isEmpty() || image.tag().filter(word -> word.matches(tag.get())).isPresent())
        && (digest.isEmpty() || image.digest().equals(digest));
  }

  @Override
  public String toString() {
    return text;
  }
}
