package io.headgate.sdk.cli;

import io.headgate.sdk.cli.command.CommandRegistry;
import io.headgate.sdk.cli.command.CommandRegistry.Registration;
import io.headgate.sdk.cli.command.WelcomeCommand;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.error.ErrorRenderer;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.CliEnvironment;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.TextColors;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.type.NearestName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// Runs commands. Runs share no state.
public final class Cli {
  private final CliEnvironment environment;

  public Cli(CliEnvironment environment) {
    this.environment = environment;
  }

  /// Runs a command and returns its exit code; it throws nothing.
  public int run(String... args) {
    Invocation invocation = null;
    try {
      CommandLineWords words = CommandLineWords.of(List.of(args));
      if (words.command().isEmpty() && isHelp(words.rest())) {
        environment.out().println(CommandRegistry.overview());
        return ExitCode.DONE;
      }
      if (words.command().isEmpty() && words.rest().contains("--version")) {
        return run("version");
      }
      // Builds only the requested command: models of all commands would slow down the start.
      CliCommand command =
          words.command().isEmpty() ? new WelcomeCommand() : entry(words).create().get();
      CommandLine parser = new CommandLine(command);
      parser.setCommandName(("headgate " + words.command()).strip());
      parser.setUsageHelpWidth(Math.max(80, environment.outTerminal() ? width() : 100));
      CommandLine.ParseResult parsed = parser.parseArgs(words.rest().toArray(String[]::new));
      CommandLine leaf = parsed.asCommandLineList().getLast();
      CliCommand meant = leaf.getCommand();
      if (meant.global().help) {
        leaf.usage(environment.out(), CommandLine.Help.Ansi.OFF);
        return ExitCode.DONE;
      }
      invocation = new Invocation(environment, meant);
      return meant.run(invocation);
    } catch (Exception e) {
      return report(e, args, invocation);
    } finally {
      environment.out().flush();
      environment.err().flush();
      if (invocation != null) {
        invocation.close();
      }
    }
  }

  private int width() {
    return Math.min(120, environment.width().getAsInt());
  }

  private static boolean isHelp(List<String> words) {
    return words.contains("--help") || words.contains("-h");
  }

  private static Registration entry(CommandLineWords words) {
    String word = words.command();
    Optional<Registration> found = CommandRegistry.find(word);
    if (found.isPresent()) {
      return found.get();
    }
    String all = "all commands: headgate help";
    Optional<String> hint =
        OtherTools.find(word, words.rest())
            .map(ours -> "here it is: headgate " + ours)
            .or(() ->
                NearestName.find(word, CommandRegistry.names())
                    .map(name -> "did you mean headgate " + name + "?"));
    throw new UsageException(
        "\"" + word + "\" is not a command",
        "COMMAND_NOT_FOUND",
        hint.map(next -> next + "   " + all).orElse(all));
  }

  private int report(Exception e, String[] args, @Nullable Invocation invocation) {
    CliFailure failure = failure(e, invocation);
    boolean json = invocation == null ? asksForJson(args) : invocation.form().isJson();
    TextColors paint =
        invocation == null
            ? TextColors.decide(
                TextColors.When.AUTO, environment.variables(), environment.errTerminal())
            : invocation.output().errorPaint();
    int width = environment.errTerminal() ? environment.width().getAsInt() : 0;
    ErrorRenderer renderer = new ErrorRenderer(paint, width);
    environment.out().flush();
    if (json) {
      failure.frames().forEach(frame -> environment.err().println(ErrorRenderer.json(frame)));
    } else {
      renderer.lines(failure).forEach(environment.err()::println);
    }
    if (invocation != null && !json) {
      reportIds(e, invocation);
    }
    return failure.exitCode();
  }

  private void reportIds(Exception e, Invocation invocation) {
    GlobalOptions global = invocation.global();
    if ((global.verbose || invocation.debug()) && e instanceof HeadgateException refusal) {
      String requestId = refusal.failure().requestId();
      environment
          .err()
          .println(
              "  request %s %s trace %s"
                  .formatted(
                      requestId == null ? "-" : requestId,
                      invocation.output().symbols().dot(),
                      refusal.failure().traceId()));
    }
    if (invocation.debug() && !(e instanceof CliFailure) && !(e instanceof UsageException)) {
      StackTraces.print(e, environment.err());
    }
  }

  private CliFailure failure(Exception e, @Nullable Invocation invocation) {
    return switch (e) {
      case CliFailure failure -> failure;
      case UsageException usage -> ErrorFrames.of(usage);
      case CommandLine.ParameterException parameter -> UsageErrors.failure(parameter);
      case ConfigurationException configuration -> ErrorFrames.of(configuration);
      case HeadgateException refusal ->
          new CliFailure(List.of(frame(refusal, invocation)), ExitCode.of(refusal), null);
      case UncheckedIOException io -> fileError(cause(io));
      case IOException io -> fileError(io);
      default -> ErrorFrames.ofFault(e);
    };
  }

  private static IOException cause(UncheckedIOException e) {
    return e.getCause() == null ? new IOException(e.getMessage(), e) : e.getCause();
  }

  private static String text(IOException e) {
    return switch (e) {
      case NoSuchFileException missing -> "file \"" + missing.getFile() + "\" does not exist";
      case AccessDeniedException denied -> "permission denied: \"" + denied.getFile() + "\"";
      default -> String.valueOf(e.getMessage());
    };
  }

  private static CliFailure fileError(IOException e) {
    return new CliFailure(
        List.of(ErrorFrame.usage(text(e), "FILE_ERROR", List.of())), ExitCode.USAGE, null);
  }

  private static ErrorFrame frame(HeadgateException refusal, @Nullable Invocation invocation) {
    Optional<Session> session = invocation == null ? Optional.empty() : invocation.openSession();
    String server = session.map(Session::server).orElse("");
    return session
        .filter(_ -> refusal.reason().equals("KEY_REJECTED"))
        .map(open -> ErrorFrames.ofRejectedKey(refusal, server, open.keyFrom()))
        .orElseGet(() -> ErrorFrames.of(refusal, server));
  }

  private static boolean asksForJson(String[] args) {
    List<String> words = List.of(args);
    int index = Math.max(words.indexOf("-o"), words.indexOf("--output"));
    return words.contains("-ojson")
        || words.contains("--output=json")
        || (index >= 0 && index + 1 < words.size() && words.get(index + 1).startsWith("json"));
  }
}
