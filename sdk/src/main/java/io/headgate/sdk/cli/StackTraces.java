package io.headgate.sdk.cli;

import java.io.PrintStream;

/// Prints stack traces for `--debug`.
final class StackTraces {
  private StackTraces() {}

  static void print(Throwable thrown, PrintStream out) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      out.println("debug: " + cause);
      for (StackTraceElement element : cause.getStackTrace()) {
        out.println("debug:   at " + element);
      }
    }
  }
}
