package io.headgate.type;

import java.util.List;
import java.util.stream.Collectors;

/// Says patterns in a sentence: `nvcr.io/nvidia/**, docker.io/*, …`.
public final class PatternText {
  private static final int TOLD = 8;

  /// A refusal quotes the text several times in the trailers of a call, and clients refuse trailers
  /// above 8 KiB.
  private static final int MAX_LENGTH = 300;

  private PatternText() {}

  public static String of(List<?> patterns) {
    String first =
        patterns.stream().limit(TOLD).map(Object::toString).collect(Collectors.joining(", "));
    if (first.length() > MAX_LENGTH) {
      return first.substring(0, MAX_LENGTH) + "…";
    }
    return patterns.size() <= TOLD ? first : first + ", …";
  }
}
