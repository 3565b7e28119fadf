package io.headgate.policy.core.access;

import io.headgate.type.CommandPattern;
import io.headgate.type.ImagePattern;
import java.util.Comparator;
import java.util.List;

/// What jobs may run.
///
/// @param images empty: all
/// @param imageRequired jobs name an image
/// @param digestRequired jobs name their image by its digest
/// @param commands how commands may begin; empty: all
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
