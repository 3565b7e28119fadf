package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.explain.Forecast;
import java.time.Instant;
import java.util.function.Function;

/// When a waiting job starts, and what that rests on, in one sentence.
public final class ForecastText {
  private ForecastText() {}

  /// One sentence.
  ///
  /// @param time an instant as text
  public static String sentence(Forecast forecast, Function<Instant, String> time) {
    return switch (forecast) {
      case Forecast.Expected(var start, var by, int after, var basis) ->
          switch (basis) {
            case DECLARED ->
                "It starts by %s%s if whatever runs uses all of its declared run time and nothing changes."
                    .formatted(time.apply(start), after(after));
            case OBSERVED ->
                "It is expected to start at %s%s%s, judging by earlier runs of the queues, if nothing changes."
                    .formatted(
                        time.apply(start),
                        after(after),
                        by.map(bound -> " and very likely by " + time.apply(bound)).orElse(""));
          };
      case Forecast.Unknown(var cause) ->
          switch (cause) {
            case NEVER_FITS -> "It will not start unless the configuration changes.";
            case QUEUE_CLOSED -> "It will not start before its queue is resumed.";
            case BUDGET -> "It will not start before its budget begins anew or is raised.";
            case OPEN_ENDED ->
                "Its start is unknown: jobs in its way have not declared how long they run"
                    + " (maxRuntime), and earlier runs do not tell.";
            case PROVIDER -> "Its start is unknown: the pool's provider decides.";
            case NOTHING_ENDS ->
                "Its start is unknown: no running job is in its way, so something has to"
                    + " change.";
            case TOO_FAR -> "Its start is unknown: too many jobs end before.";
            case TOO_MANY -> "Its start was not computed: too many jobs wait and run.";
            case BUSY -> "Its start was not computed: others asked too; ask again.";
          };
    };
  }

  private static String after(int attempts) {
    return attempts == 0
        ? ""
        : attempts == 1 ? ", after 1 attempt," : ", after %d attempts,".formatted(attempts);
  }
}
