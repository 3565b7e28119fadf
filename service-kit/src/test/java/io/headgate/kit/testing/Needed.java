package io.headgate.kit.testing;

import static org.assertj.core.api.Assumptions.assumeThat;

/// What a test takes of its machine that not every machine has.
public final class Needed {
  public static final String CGROUPS =
      "cgroups that it may make: version 2, mounted writable, mostly root's";

  private Needed() {}

  /// Skips the test where it is not there, and says so beside the tests' own output: why one was
  /// skipped is in its report only, which nobody reads of a build that passes.
  ///
  /// @param what that is, for whoever can see to it
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
