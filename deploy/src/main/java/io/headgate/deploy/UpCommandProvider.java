package io.headgate.deploy;

import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.CommandProvider;

/// Adds `up` to the command line.
public final class UpCommandProvider implements CommandProvider {
  @Override
  public String name() {
    return "up";
  }

  @Override
  public String summary() {
    return "run the whole system on this machine";
  }

  @Override
  public CliCommand create() {
    return new UpCommand();
  }
}
