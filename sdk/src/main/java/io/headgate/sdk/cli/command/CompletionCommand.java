package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

/// `headgate completion`.
@Command(
    header = {
      "source <(headgate completion bash)     in ~/.bashrc",
      "source <(headgate completion zsh)      in ~/.zshrc",
      ""
    },
    description = "Prints a completion script for commands, flags, and names of the server.")
public final class CompletionCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(paramLabel = "bash|zsh", description = "The shell.")
  private String shell = "";

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    switch (shell) {
      case "bash" -> invocation.output().text(script());
      case "zsh" ->
          // zsh can run bash completions, so one script serves both shells.
          invocation.output().text("autoload -U +X bashcompinit && bashcompinit\n" + script());
      default ->
          throw new UsageException(
              "there is no completion for \"" + shell + "\"",
              "UNKNOWN_ARGUMENT",
              "headgate completion bash, or zsh");
    }
    return ExitCode.DONE;
  }

  private static String script() {
    StringBuilder flags = new StringBuilder();
    for (String name : CommandRegistry.names()) {
      flags
          .append("    ")
          .append(name)
          .append(") words='")
          .append(String.join(" ", flags(name)))
          .append("' ;;\n");
    }
    String commands = String.join(" ", CommandRegistry.names());
    return template()
        .replace("@COMMANDS@", commands)
        .replace("@HELP@", String.join(" ", HelpCommand.TOPICS) + " " + commands)
        .replace("@FLAGS@", flags.toString().indent(4));
  }

  private static String template() {
    try (InputStream in = CompletionCommand.class.getResourceAsStream("/completion.bash")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> flags(String command) {
    List<String> flags = new ArrayList<>();
    CommandLine model = new CommandLine(CommandRegistry.find(command).orElseThrow().create().get());
    for (OptionSpec option : model.getCommandSpec().options()) {
      Arrays.stream(option.names()).filter(name -> name.startsWith("--")).forEach(flags::add);
    }
    return flags;
  }
}
