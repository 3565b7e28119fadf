package io.headgate.sdk.cli.command.submit;

import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.JobSpec.Dependency;
import io.headgate.sdk.model.JobSpec.Dependency.Condition;
import io.headgate.type.NearestName;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A job to wait for, as users write it: `prepare-1`, `prepare-1:any`.
final class AfterText {
  private static final List<String> CONDITIONS =
      Arrays.stream(Condition.values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();

  private AfterText() {}

  /// @param flag or key, for the error
  static Dependency parse(String flag, String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      return new Dependency(text, Condition.OK);
    }
    String word = text.substring(colon + 1);
    if (!CONDITIONS.contains(word) || colon == 0) {
      Optional<String> nearest = NearestName.suggestion(word, CONDITIONS);
      throw new UsageException(
          "%s %s: \"%s\" is not ok, any or fail".formatted(flag, text, word),
          "BAD_FLAG_VALUE",
          nearest.orElse("write JOB, JOB:ok, JOB:any or JOB:fail"));
    }
    return new Dependency(
        text.substring(0, colon), Condition.valueOf(word.toUpperCase(Locale.ROOT)));
  }
}
