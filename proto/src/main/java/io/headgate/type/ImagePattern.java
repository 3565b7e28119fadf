package io.headgate.type;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Images that an operator means: `registry.example/team/**`, `docker.io/*`,
/// `nvcr.io/nvidia/pytorch:25.*-py3`, `registry.example/train@sha256:…`.
///
/// The registry is written out, with its port if images name one. In the path `*` stands for any
/// characters within a component, and a component `**` for one or several whole ones; in a tag `*`
/// stands for any characters. Without a tag and a digest any will do. With a tag only images are
/// meant that are fetched by it: one that names a digest, too, is not.
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
    // One or several are one, and then any number.
    this.path =
        Arrays.stream(path.split("/", -1))
            .flatMap(part -> part.equals(COMPONENTS) ? Stream.of(ANY, COMPONENTS) : Stream.of(part))
            .toList();
  }

  /// Reads one.
  ///
  /// @throws IllegalArgumentException when it is not understood
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
    // All of a registry is not only what is where its own images are.
    return new ImagePattern(text, path.equals(COMPONENTS) ? path : meant.repository(), meant);
  }

  private static IllegalArgumentException refused(String text, String problem) {
    return new IllegalArgumentException("image pattern '%s' %s".formatted(text, problem));
  }

  /// Whether the image is one of those.
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

  /// Whether a row is of a form, in which `many` stands for any number of elements. What it took
  /// last is extended where the rest does not fit, and nothing before: so nobody's pattern takes
  /// more than the product of both lengths.
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
