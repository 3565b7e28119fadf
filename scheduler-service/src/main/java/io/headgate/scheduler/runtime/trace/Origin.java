package io.headgate.scheduler.runtime.trace;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a job's trace begins, as the column `traceparent` of a job says it: a W3C `traceparent`
/// that the job's trace continues; the same after `link `, which it only refers to; or nothing.
///
/// @param continues whether the caller's trace is the job's
public record Origin(Optional<JobTrace.Caller> caller, boolean continues) {
  public static final Origin NONE = new Origin(Optional.empty(), false);

  private static final String LINK = "link ";
  private static final Pattern TRACEPARENT =
      Pattern.compile("(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
  private static final int SAMPLED = 1;
  private static final int HEXADECIMAL = 16;

  /// The origin of a job by its submission.
  ///
  /// @param received `traceparent` of the call as it came in; empty: none
  /// @param current of the span in which the call is served; empty: nothing records it
  /// @param isAlone whether the call submits this job alone: jobs that share a call have traces of
  ///   their own
  /// @return text for the column
  public static String of(String received, String current, boolean isAlone) {
    Matcher caller = TRACEPARENT.matcher(received);
    // Without the flag the caller writes no span, and the job's trace would lack its first one.
    boolean isRecorded =
        caller.matches() && (Integer.parseInt(caller.group(3), HEXADECIMAL) & SAMPLED) != 0;
    String span = TRACEPARENT.matcher(current).matches() ? current : isRecorded ? received : "";
    if (span.isEmpty()) {
      return "";
    }
    return isAlone && isRecorded ? span : LINK + span;
  }

  /// Reads the column. Any text but a `traceparent` counts as nothing.
  public static Origin parse(String column) {
    boolean isLink = column.startsWith(LINK);
    Matcher caller = TRACEPARENT.matcher(isLink ? column.substring(LINK.length()) : column);
    return caller.matches()
        ? new Origin(Optional.of(new JobTrace.Caller(caller.group(1), caller.group(2))), !isLink)
        : NONE;
  }
}
