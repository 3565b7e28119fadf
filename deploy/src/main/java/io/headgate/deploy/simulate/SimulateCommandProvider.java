package io.headgate.deploy.simulate;

import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.CommandProvider;

/// Adds `simulate` to the command line.
public final class SimulateCommandProvider implements CommandProvider {
  @Override
  public String name() {
    return "simulate";
  }

  @Override
  public String summary() {
    return "play a scenario without a server";
  }

  @Override
  public CliCommand create() {
    return new SimulateCommand();
  }
}
