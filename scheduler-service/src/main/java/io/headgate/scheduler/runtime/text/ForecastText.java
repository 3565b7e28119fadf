package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.explain.Forecast;

/// When a waiting job starts, and what that rests on, in one sentence.
public final class ForecastText {
  private ForecastText() {}

  /// One sentence.
  ///
  /// @param start the forecast's start time as text; unused if it has none
  public static String sentence(Forecast forecast, String start) {
    return switch (forecast) {
      case Forecast.By(var _, int after) ->
          "It starts by %s%s if whatever runs uses all of its declared run time and nothing changes."
              .formatted(
                  start,
                  after == 0
                      ? ""
                      : after == 1
                          ? ", after 1 attempt,"
                          : ", after %d attempts,".formatted(after));
      case Forecast.Unknown(var cause) ->
          switch (cause) {
            case NEVER_FITS -> "It will not start unless the configuration changes.";
            case QUEUE_CLOSED -> "It will not start before its queue is resumed.";
            case OPEN_ENDED ->
                "Its start is unknown: jobs in its way have not declared how long they run"
                    + " (maxRuntime).";
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
}
