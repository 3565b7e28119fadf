package io.headgate.sdk.cli.command.job;

import io.headgate.proto.scheduler.v1.ChangeJobsResponse;
import io.headgate.sdk.cli.command.shared.Prompt;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.model.BulkChange;
import io.headgate.sdk.wire.BulkChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A change of all jobs that match: shows how many there are, asks, and reports.
///
/// @param verb `cancel`
/// @param done `cancelled`
/// @param ifNone called when no job matches
record BulkJobChange(Invocation invocation, String verb, String done, Runnable ifNone) {
  private static final Listing<BulkChange> LISTING =
      new Listing<>(
          "changes",
          List.of("changes"),
          change -> Long.toString(change.changed()),
          List.of(
              Column.<BulkChange>of("CHANGED", change -> Cell.of(change.changed())),
              Column.<BulkChange>of("NOT OWNED", change -> Cell.of(change.notOwned())),
              Column.<BulkChange>of("FAILED", change -> Cell.of(change.failed()))));

  /// Users that are named in the question.
  private static final int NAMED = 5;

  /// One call.
  interface Call {
    ChangeJobsResponse of(boolean countOnly, String pageToken);
  }

  int run(Call call) {
    BulkChange would = BulkChanges.all(token -> call.of(true, token));
    if (would.changed() == 0) {
      if (would.notOwned() == 0) {
        ifNone.run();
      }
      report(would);
      return ExitCode.DONE;
    }
    String jobs = EnglishText.count(would.changed(), "job");
    if (!new Prompt(invocation)
        .confirms(
            "%s %s%s?"
                .formatted(
                    Character.toUpperCase(verb.charAt(0)) + verb.substring(1), jobs, whose(would)),
            "to " + verb + " " + jobs,
            verb)) {
      invocation.output().note("nothing was changed");
      return ExitCode.DONE;
    }
    BulkChange changed = BulkChanges.all(token -> call.of(false, token));
    report(changed);
    if (changed.failed() > 0) {
      throw failure(changed);
    }
    return ExitCode.DONE;
  }

  /// ` (ada 7, bob 5)`.
  private static String whose(BulkChange would) {
    List<String> users = new ArrayList<>();
    would.users().entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(NAMED)
        .forEach(user -> users.add("%s %,d".formatted(user.getKey(), user.getValue())));
    int more = would.users().size() - users.size();
    return " (%s%s)"
        .formatted(String.join(", ", users), more > 0 ? " and " + more + " other users" : "");
  }

  private void report(BulkChange change) {
    if (invocation.form().kind() != OutputForm.Kind.TABLE) {
      LISTING.printOne(row(change), invocation.form(), invocation.output());
      return;
    }
    String notYours =
        change.notOwned() > 0
            ? "; %s not yours to %s".formatted(EnglishText.count(change.notOwned(), "job"), verb)
            : "";
    invocation
        .output()
        .line(
            (change.changed() == 0 && change.failed() == 0
                    ? "no job matches"
                    : EnglishText.count(change.changed(), "job") + " " + done)
                + notYours);
  }

  private static Row<BulkChange> row(BulkChange change) {
    return Row.of(
        change,
        "change",
        "changes",
        ChangeJobsResponse.newBuilder()
            .setChanged(change.changed())
            .putAllUsers(change.users())
            .setNotOwned(change.notOwned())
            .setFailed(change.failed())
            .build());
  }

  private CliFailure failure(BulkChange change) {
    List<ErrorFrame> frames = new ArrayList<>();
    for (BulkChange.Failure failure : change.failures()) {
      frames.add(ErrorFrame.usage(failure.message(), failure.reason(), List.of()));
    }
    return new CliFailure(
        frames,
        ExitCode.USAGE,
        "%,d of %,d %s".formatted(change.changed(), change.changed() + change.failed(), done));
  }
}
