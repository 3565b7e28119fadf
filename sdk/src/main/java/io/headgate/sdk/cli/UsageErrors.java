package io.headgate.sdk.cli;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.type.NearestName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// Turns picocli's errors on flags and arguments into error frames of the command line.
final class UsageErrors {
  private UsageErrors() {}

  static CliFailure failure(ParameterException e) {
    String help = "flags and examples: " + e.getCommandLine().getCommandName() + " --help";
    String helpLine =
        help.startsWith("flags and examples: headgate") ? help : "flags and examples: --help";
    ErrorFrame frame =
        switch (e) {
          case UnmatchedArgumentException unmatched -> unmatched(unmatched, helpLine);
          case MissingParameterException missing ->
              ErrorFrame.usage(missing(missing), "ARGUMENT_MISSING", List.of(helpLine));
          default -> ErrorFrame.usage(badValue(e), "BAD_FLAG_VALUE", List.of(helpLine));
        };
    return new CliFailure(List.of(frame), ExitCode.USAGE, null);
  }

  private static ErrorFrame unmatched(UnmatchedArgumentException e, String help) {
    String word = e.getUnmatched().isEmpty() ? "" : e.getUnmatched().getFirst();
    if (!word.startsWith("-")) {
      return ErrorFrame.usage(
          "unexpected argument \"" + word + "\"", "UNKNOWN_ARGUMENT", List.of(help));
    }
    if (word.startsWith("-q")) {
      // Other tools mean quiet by the letter. Here it is the queue, in commands that have one.
      return ErrorFrame.usage(
          "unknown flag -q", "UNKNOWN_FLAG", List.of("for less output: --quiet   " + help));
    }
    int equals = word.indexOf('=');
    String flag = equals < 0 ? word : word.substring(0, equals);
    List<String> names = optionNames(e.getCommandLine());
    // A flag of one letter is similar to every other one, so it gets no suggestion.
    Optional<String> near =
        flag.startsWith("--") ? NearestName.find(flag, names) : Optional.empty();
    String next = near.map(nearest -> "did you mean " + nearest + "?   " + help).orElse(help);
    return ErrorFrame.usage("unknown flag " + flag, "UNKNOWN_FLAG", List.of(next));
  }

  /// `"x" is not a whole number for --limit`.
  private static String badValue(ParameterException e) {
    ArgSpec argument = e.getArgSpec();
    String value = e.getValue();
    if (argument == null || value == null) {
      return firstLine(String.valueOf(e.getMessage()));
    }
    String flag =
        argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    return "\"%s\" is not %s for %s".formatted(value, kind(argument.type()), flag);
  }

  private static String kind(Class<?> type) {
    if (type == boolean.class || type == Boolean.class) {
      return "true or false";
    }
    boolean number = type.isPrimitive() || Number.class.isAssignableFrom(type);
    return number ? "a whole number" : "a value";
  }

  private static String missing(MissingParameterException e) {
    List<String> names = new ArrayList<>();
    for (ArgSpec argument : e.getMissing()) {
      names.add(
          argument instanceof OptionSpec option
              ? option.longestName() + " " + option.paramLabel()
              : argument.paramLabel());
    }
    return names.isEmpty()
        ? firstLine(String.valueOf(e.getMessage()))
        : "missing: " + String.join(", ", names);
  }

  private static List<String> optionNames(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    return spec.options().stream().flatMap(option -> Arrays.stream(option.names())).toList();
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }
}
