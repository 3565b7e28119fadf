package io.headgate.sdk.client;

/// Selects output.
///
/// @param attempt 0: the current or last
/// @param worker from 0
/// @param follow read on until the attempt ends
/// @param tailBytes about this many of the last bytes; 0: all that is kept
public record LogOptions(int attempt, int worker, boolean follow, long tailBytes) {
  public static final LogOptions ALL = new LogOptions(0, 0, false, 0);

  public LogOptions withAttempt(int number) {
    return new LogOptions(number, worker, follow, tailBytes);
  }

  public LogOptions withFollow(boolean value) {
    return new LogOptions(attempt, worker, value, tailBytes);
  }
}
