package io.headgate.kit.testing;

import static org.assertj.core.api.Assumptions.assumeThat;

/// Features of the machine that a test needs and that not every machine has.
public final class Needed {
  public static final String CGROUPS =
      "cgroups that it may make: version 2, mounted writable, mostly root's";

  private Needed() {}

  /// Skips the test where the feature is absent, and prints the reason beside the tests' output.
  /// The reason in the test report alone would go unread in a build that passes.
  ///
  /// @param what the missing feature, for the person who can add it
  public static void demand(boolean there, String what) {
    if (!there) {
      String test =
          StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
              .getCallerClass()
              .getSimpleName();
      System.err.println("NOT TRIED on this machine: a test of " + test + " takes " + what);
    }
    assumeThat(there).as(what).isTrue();
  }
}
