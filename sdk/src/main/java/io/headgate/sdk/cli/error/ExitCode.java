package io.headgate.sdk.cli.error;

import io.headgate.sdk.model.HeadgateException;

/// Exit codes of the command line.
public final class ExitCode {
  /// Done; also an empty list.
  public static final int DONE = 0;

  /// Refused or failed by the server.
  public static final int REFUSED = 1;

  /// Wrong usage or a wrong local file; nothing was sent.
  public static final int USAGE = 2;

  /// `plan --exit-code`: there are changes; `wait --for`: not reached in time.
  public static final int DIFFERENT = 3;

  /// Not signed in.
  public static final int NOT_SIGNED_IN = 4;

  /// The server cannot be reached or has no leader; retrying is safe.
  public static final int UNAVAILABLE = 5;

  /// The version changed since the plan.
  public static final int CONFLICT = 6;

  /// `submit --follow`: headgate itself failed, not the job.
  public static final int FOLLOW_FAILED = 125;

  /// Ctrl-C.
  public static final int INTERRUPTED = 130;

  /// `submit --follow`: the job was cancelled.
  public static final int JOB_CANCELLED = 143;

  private ExitCode() {}

  public static int of(HeadgateException failure) {
    return switch (failure.code()) {
      case UNAUTHENTICATED -> NOT_SIGNED_IN;
      case UNAVAILABLE, DEADLINE_EXCEEDED -> UNAVAILABLE;
      case ABORTED -> CONFLICT;
      case CANCELLED -> INTERRUPTED;
      default -> REFUSED;
    };
  }
}
