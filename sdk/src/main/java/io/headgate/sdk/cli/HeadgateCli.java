package io.headgate.sdk.cli;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliEnvironment;
import java.util.Optional;

/// Entry point of the command line.
public final class HeadgateCli {
  private HeadgateCli() {}

  public static void main(String[] args) {
    CliEnvironment environment = CliEnvironment.ofProcess();
    int exitCode = new Cli(environment).run(args);
    Optional<String> failure = environment.outputFailure();
    if (failure.isPresent()) {
      environment.err().println("error: cannot write the output: " + failure.get());
      exitCode = Math.max(exitCode, ExitCode.REFUSED);
    }
    System.exit(exitCode);
  }
}
