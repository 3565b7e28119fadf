package io.headgate.type;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A pattern for images: `registry.example/team/**`, `docker.io/*`,
/// `nvcr.io/nvidia/pytorch:25.*-py3`, `registry.example/train@sha256:…`.
///
/// The registry is literal, with its port if images name one. In the path, `*` matches any
/// characters within a component, and a component `**` matches one or several whole components. In
/// a tag, `*` matches any characters. Without tag and digest the pattern matches any tag or digest.
/// With a tag it matches only images that are fetched by tag, so none with a digest.
public final class ImagePattern {
  private static final String COMPONENTS = "**";
  private static final String ANY = "*";
  private static final int MAX_LENGTH = 512;

  private final String text;
  private final ImageReference meant;
  private final List<String> path;

  private ImagePattern(String text, String path, ImageReference meant) {
    this.text = text;
    this.meant = meant;
    // One or several components are one component followed by any number.
    this.path =
        Arrays.stream(path.split("/", -1))
            .flatMap(part -> part.equals(COMPONENTS) ? Stream.of(ANY, COMPONENTS) : Stream.of(part))
            .toList();
  }

  /// Parses a pattern.
  ///
  /// @throws IllegalArgumentException if the text is not a pattern
  public static ImagePattern parse(String text) {
    String example = text.replace(COMPONENTS, "x").replace('*', 'x');
    int slash = text.indexOf('/');
    if (text.length() > MAX_LENGTH
        || !ImageName.isValid(example)
        || text.substring(0, slash).contains("*")) {
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
    // A pattern for the whole registry covers more than the directory of the registry's own images.
    return new ImagePattern(text, path.equals(COMPONENTS) ? path : meant.repository(), meant);
  }

  private static IllegalArgumentException refused(String text, String problem) {
    return new IllegalArgumentException("image pattern '%s' %s".formatted(text, problem));
  }

  /// Whether the pattern matches the image.
  public boolean matches(ImageReference image) {
    return image.registry().equals(meant.registry())
        && isLike(path, parts(image.repository()), COMPONENTS, ImagePattern::isLike)
        && (meant.tag().isEmpty()
            || image.tag().filter(tag -> isLike(meant.tag().get(), tag)).isPresent())
        && (meant.digest().isEmpty() || image.digest().equals(meant.digest()));
  }

  private static List<String> parts(String path) {
    return Arrays.asList(path.split("/", -1));
  }

  private static boolean isLike(String pattern, String word) {
    return isLike(characters(pattern), characters(word), ANY, String::equals);
  }

  private static List<String> characters(String word) {
    return word.chars().mapToObj(Character::toString).toList();
  }

  /// Whether a row matches a form in which `many` stands for any number of elements. On a mismatch
  /// only the last `many` is extended, never an earlier one. So the cost is at most the product of
  /// both lengths.
  private static boolean isLike(
      List<String> form, List<String> row, String many, BiPredicate<String, String> one) {
    int at = 0;
    int resume = -1;
    int taken = 0;
    for (int i = 0; i < row.size(); ) {
      if (at < form.size() && form.get(at).equals(many)) {
        resume = ++at;
        taken = i;
      } else if (at < form.size() && one.test(form.get(at), row.get(i))) {
        at++;
        i++;
      } else if (resume >= 0) {
        at = resume;
        i = ++taken;
      } else {
        return false;
      }
    }
    return form.subList(at, form.size()).stream().allMatch(many::equals);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ImagePattern pattern && pattern.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
