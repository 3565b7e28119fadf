package io.headgate.sdk.cli.error;

import io.headgate.sdk.cli.error.ErrorFrame.Snippet;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.config.Problem;
import io.headgate.sdk.config.SourceText;
import io.headgate.sdk.config.Span;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.HeadgateException.Failure;
import io.headgate.sdk.model.HeadgateException.FieldViolation;
import io.headgate.sdk.model.StatusCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Makes error frames from mistakes in files and from refusals of the server.
public final class ErrorFrames {
  private ErrorFrames() {}

  /// All mistakes in a configuration file that the user asked to apply.
  public static CliFailure of(ConfigurationException refusal) {
    return of(refusal, "Nothing was applied.");
  }

  /// All mistakes in a file.
  ///
  /// @param undone sentence on the work that was therefore not done
  public static CliFailure of(ConfigurationException refusal, String undone) {
    List<ErrorFrame> frames = new ArrayList<>();
    for (Problem problem : refusal.problems()) {
      frames.add(of(problem, refusal.source()));
    }
    int hidden = refusal.total() - refusal.problems().size();
    String trailer =
        EnglishText.count(refusal.total(), "error")
            + (hidden > 0 ? " (" + hidden + " not shown)" : "")
            + ". "
            + undone;
    return new CliFailure(frames, ExitCode.USAGE, trailer);
  }

  /// A wrong call of a command.
  public static CliFailure of(UsageException refusal) {
    return new CliFailure(
        List.of(
            ErrorFrame.usage(
                String.valueOf(refusal.getMessage()), refusal.reason(), refusal.next())),
        ExitCode.USAGE,
        null);
  }

  /// A fault of the program itself.
  public static CliFailure ofFault(Exception fault) {
    return new CliFailure(
        List.of(
            ErrorFrame.usage(
                "headgate itself failed: " + fault,
                "INTERNAL",
                List.of("run it again with --debug to see the stack trace"))),
        ExitCode.REFUSED,
        null);
  }

  private static ErrorFrame of(Problem problem, SourceText source) {
    Span span = problem.span();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("code", "INVALID_ARGUMENT");
    json.put("reason", problem.reason());
    json.put("message", problem.message());
    putUnlessEmpty(json, "field", problem.field());
    json.put("file", source.fileName());
    if (span != null) {
      json.put("line", span.line());
      json.put("column", span.column());
    }
    putUnlessEmpty(json, "value", problem.value());
    if (!problem.metadata().isEmpty()) {
      json.put("metadata", new TreeMap<>(problem.metadata()));
    }
    String next = problem.next();
    return new ErrorFrame(
        problem.message(),
        problem.reason(),
        List.of(place(source, span, problem.field())),
        snippet(source, span, problem.note()),
        problem.why(),
        next == null ? List.of() : List.of(suggestion(next)),
        json);
  }

  private static String suggestion(String next) {
    return next.startsWith("did you mean") ? next : "try: " + next;
  }

  /// `--> acme.yaml:41:18 policies[ai-dev].reservation`.
  public static String place(SourceText source, @Nullable Span span, String field) {
    String at = span == null ? "" : ":" + span.line() + ":" + span.column();
    return ("--> " + source.fileName() + at + "  " + field).strip();
  }

  /// The source line with its mark; null when there is no note beside the mark.
  public static @Nullable Snippet snippet(
      SourceText source, @Nullable Span span, @Nullable String note) {
    return span == null || note == null
        ? null
        : new Snippet(span.line(), source.line(span.line()), span.column(), span.length(), note);
  }

  /// A refusal by the server, or a failure to reach it.
  ///
  /// @param server its address, as the user knows it
  public static ErrorFrame of(HeadgateException refusal, String server) {
    Failure failure = refusal.failure();
    List<String> where = new ArrayList<>();
    failure.violations().forEach(violation -> where.add("field " + violation.field()));
    if (failure.omittedViolations() > 0) {
      where.add("and " + failure.omittedViolations() + " more");
    }
    if (failure.code() == StatusCode.UNAVAILABLE
        || failure.code() == StatusCode.DEADLINE_EXCEEDED) {
      where.add("server " + server);
    }
    return new ErrorFrame(
        // The server's message addresses authors of clients, not users of the command line.
        failure.reason().equals("TOKEN_MISSING")
            ? "you are not signed in to " + server
            : failure.message(),
        failure.reason(),
        where,
        null,
        why(failure),
        Hints.next(failure, server),
        json(failure));
  }

  /// The error for a rejected key.
  ///
  /// @param from source of the key, such as `HEADGATE_KEY`
  public static ErrorFrame ofRejectedKey(HeadgateException refusal, String server, String from) {
    String login = "headgate login --server " + server;
    return of(refusal, server)
        .where("key from " + from)
        .next(
            List.of(
                from.startsWith("HEADGATE_")
                    ? "set " + from + " to a valid key; or unset it and sign in: " + login
                    : "sign in with another key: " + login));
  }

  private static @Nullable String why(Failure failure) {
    List<String> more =
        failure.violations().stream()
            .map(FieldViolation::description)
            .filter(description -> !failure.message().contains(description))
            .toList();
    return more.isEmpty() ? null : String.join("; ", more);
  }

  private static Map<String, Object> json(Failure failure) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("code", failure.code().name());
    json.put("reason", failure.reason());
    json.put("message", failure.message());
    if (!failure.violations().isEmpty()) {
      json.put("field", failure.violations().getFirst().field());
    }
    if (!failure.metadata().isEmpty()) {
      json.put("metadata", new TreeMap<>(failure.metadata()));
    }
    putUnlessEmpty(json, "requestId", failure.requestId());
    json.put("traceId", failure.traceId());
    return json;
  }

  private static void putUnlessEmpty(Map<String, Object> json, String key, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      json.put(key, value);
    }
  }
}
