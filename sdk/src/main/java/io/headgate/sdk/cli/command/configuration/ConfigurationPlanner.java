package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.FileOrStandardInput;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.ConfigurationClient;
import io.headgate.sdk.client.Plan;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ConfigurationFile;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.config.Span;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.HeadgateException.FieldViolation;
import io.headgate.sdk.model.StatusCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads a configuration file and asks the services for a plan. Mistakes are shown at their lines.
final class ConfigurationPlanner {
  private final Invocation invocation;
  private final ConfigurationFile file;

  private ConfigurationPlanner(Invocation invocation, ConfigurationFile file) {
    this.invocation = invocation;
    this.file = file;
  }

  static ConfigurationPlanner read(Invocation invocation, Path path)
      throws IOException, ConfigurationException {
    ConfigurationFile file =
        new FileOrStandardInput<ConfigurationFile>(
                ConfigurationReader::read, ConfigurationReader::read)
            .read(invocation, path);
    return new ConfigurationPlanner(invocation, file);
  }

  /// The tenant of the flags, which must equal the file's; else the file's tenant; else the
  /// session's.
  String tenant() {
    String ofFile = file.configuration().tenant();
    String chosen = invocation.global().tenant;
    if (ofFile != null && chosen != null && !ofFile.equals(chosen)) {
      ErrorFrame frame =
          ErrorFrame.usage(
                  "the file is for tenant " + ofFile + ", not for tenant " + chosen,
                  "TENANT_DIFFERS",
                  List.of("leave out --tenant, or change the key `tenant` of the file"))
              .where(ErrorFrames.place(file.source(), span("tenant").orElse(null), "tenant"));
      throw new CliFailure(List.of(frame), ExitCode.USAGE, null);
    }
    return ofFile != null ? ofFile : invocation.session().tenant();
  }

  Plan plan(String tenant) {
    ConfigurationClient client = invocation.session().client().configuration(tenant);
    Configuration wanted = file.configuration().withTenant(tenant);
    try {
      return client.plan(wanted);
    } catch (HeadgateException e) {
      // A foreign tenant is refused like an absent one, and this one is always there.
      if (wanted.isPlatform()
          && (e.code() == StatusCode.PERMISSION_DENIED || e.code() == StatusCode.NOT_FOUND)) {
        throw operatorsOnly(e);
      }
      throw refused(e);
    }
  }

  private CliFailure operatorsOnly(HeadgateException refusal) {
    ErrorFrame frame =
        ErrorFrames.of(refusal, invocation.session().server())
            .message("only platform operators apply a file of kind Platform")
            .why("It divides pools among tenants, and your key speaks for one tenant.")
            .next(List.of("log in with an operator's key, or ask an operator to apply the file"));
    return new CliFailure(List.of(frame), ExitCode.of(refusal), "Nothing was applied.");
  }

  /// Translates the fields in a service's refusal into lines of the file. The last line says
  /// whether the change took effect.
  CliFailure refused(HeadgateException failure) {
    boolean unknown = failure.reason().equals(Plan.OUTCOME_UNKNOWN);
    HeadgateException refusal =
        unknown && failure.getCause() instanceof HeadgateException cause ? cause : failure;
    List<ErrorFrame> frames = new ArrayList<>();
    for (FieldViolation violation : refusal.failure().violations()) {
      frames.add(frame(refusal, violation));
    }
    if (frames.isEmpty()) {
      frames.add(ErrorFrames.of(refusal, invocation.session().server()));
    }
    String effect = "Nothing was applied.";
    if (unknown) {
      effect =
          "It is not known whether the change took effect. Apply the file again: a change in force is"
              + " not repeated.";
      frames.replaceAll(frame -> frame.with("outcome", Plan.OUTCOME_UNKNOWN));
    }
    return new CliFailure(frames, ExitCode.of(refusal), errors(frames, refusal) + ". " + effect);
  }

  /// `3 errors`, `80 errors, of which the first 20 are shown`.
  private static String errors(List<ErrorFrame> frames, HeadgateException refusal) {
    int omitted = refusal.failure().omittedViolations();
    return EnglishText.count(frames.size() + omitted, "error")
        + (omitted == 0 ? "" : ", of which the first " + frames.size() + " are shown");
  }

  private ErrorFrame frame(HeadgateException refusal, FieldViolation violation) {
    ErrorFrame general = ErrorFrames.of(refusal, invocation.session().server());
    String field = inFile(violation.field());
    Span span = span(field).orElse(null);
    Map<String, Object> json = new LinkedHashMap<>(general.json());
    json.put("field", field);
    json.put("file", file.source().fileName());
    if (span != null) {
      json.put("line", span.line());
      json.put("column", span.column());
    }
    boolean one = refusal.failure().violations().size() == 1;
    String note = violation.description();
    return new ErrorFrame(
        one ? general.message() : note,
        general.reason(),
        List.of(ErrorFrames.place(file.source(), span, field)),
        one && general.message().contains(note)
            ? null
            : ErrorFrames.snippet(file.source(), span, one ? note : "refused by the server"),
        null,
        general.next(),
        json);
  }

  /// `configuration.policies[rnd].limit` is `policies[rnd].limit` in the file.
  private static String inFile(String field) {
    return field.replaceFirst("^(resource_)?configuration\\.", "");
  }

  private Optional<Span> span(String field) {
    return file.sourceMap().find(field);
  }

  String fileName() {
    return file.source().fileName();
  }
}
