package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.ConfigurationReference;
import io.headgate.type.NearestName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate help`.
@Command(
    header = {
      "headgate help                all commands",
      "headgate help exit-codes     the meaning of exit codes",
      "headgate help configuration  every key of a configuration file",
      "headgate help job            every key of a job file",
      ""
    },
    description = "Prints help on a command or a topic.")
public final class HelpCommand implements CliCommand {
  static final List<String> TOPICS =
      List.of(
          "formats",
          "configuration",
          "job",
          "platform",
          "scenario",
          "exit-codes",
          "reasons",
          "rules",
          "environment",
          "states");

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "TOPIC",
      description =
          "A command, or formats, configuration, job, platform, scenario, exit-codes, reasons, rules,"
              + " environment, states.")
  private @Nullable String topic;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException {
    if (topic == null) {
      invocation.output().line(CommandRegistry.overview());
    } else if (TOPICS.contains(topic)) {
      invocation.output().text(text(topic));
    } else {
      invocation.output().text(ofCommand(topic));
    }
    return ExitCode.DONE;
  }

  private static String text(String topic) throws IOException {
    return switch (topic) {
      case "configuration" ->
          ConfigurationHelp.text(
                  "Keys of a configuration file (YAML or JSON)",
                  ConfigurationReference.types(),
                  ConfigurationReference.configuration())
              + "\nExample\n\n"
              + resource("configuration-example.yaml").indent(2)
              + "\nSettings of the processes are no part of this file. Each process prints its own:\n"
              + "  pool-service, policy-service, scheduler-service, headgate-agent --settings\n";
      case "job" ->
          ConfigurationHelp.text(
                  "Keys of a job file (YAML or JSON), for headgate submit -f",
                  ConfigurationReference.types(),
                  ConfigurationReference.job())
              + "\nExample\n\n"
              + resource("job-example.yaml").indent(2);
      case "platform" ->
          ConfigurationHelp.text(
              "Keys of a platform file (YAML or JSON), besides those of pools in a configuration",
              ConfigurationReference.types(),
              ConfigurationReference.platform());
      case "scenario" ->
          ConfigurationHelp.text(
              "Keys of a scenario file (YAML or JSON), besides those of a configuration",
              ConfigurationReference.types(),
              ConfigurationReference.scenario());
      default -> resource(topic + ".txt");
    };
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = HelpCommand.class.getResourceAsStream("/help/" + name)) {
      if (in == null) {
        throw new IOException("the help text " + name + " is missing from this build");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String ofCommand(String name) {
    Optional<CommandRegistry.Registration> entry = CommandRegistry.find(name);
    if (entry.isPresent()) {
      return new CommandLine(entry.get().create().get())
          .setCommandName("headgate " + name)
          .setUsageHelpWidth(100)
          .getUsageMessage(CommandLine.Help.Ansi.OFF);
    }
    List<String> known = new ArrayList<>(TOPICS);
    known.addAll(CommandRegistry.names());
    throw new UsageException(
        "there is no help on \"" + name + "\"",
        "TOPIC_NOT_FOUND",
        NearestName.find(name, known)
            .map(nearest -> "did you mean headgate help " + nearest + "?")
            .orElse("topics: " + String.join(", ", TOPICS) + ", and every command"));
  }
}
