package io.headgate.policy.core.access;

import io.headgate.type.CommandPattern;
import io.headgate.type.ImagePattern;
import java.util.Comparator;
import java.util.List;

/// The rules for jobs' images and commands.
///
/// @param images empty: all
/// @param imageRequired whether jobs must name an image
/// @param digestRequired whether jobs must name their image by digest
/// @param commands allowed beginnings of commands; empty: all
public record JobRules(
    List<ImagePattern> images,
    boolean imageRequired,
    boolean digestRequired,
    List<CommandPattern> commands) {
  public JobRules {
    images = images.stream().sorted(Comparator.comparing(ImagePattern::toString)).toList();
    commands = commands.stream().sorted(Comparator.comparing(CommandPattern::toString)).toList();
  }
}
