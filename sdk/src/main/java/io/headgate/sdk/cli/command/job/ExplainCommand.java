package io.headgate.sdk.cli.command.job;

import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.scheduler.v1.JobExplanation;
import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.RowMessage;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.model.Explanation;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Usage;
import io.headgate.sdk.wire.EventMessages;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.UsageMessages;
import io.headgate.type.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate explain`.
@Command(
    header = {
      "headgate explain train-7            why it waits, rule by rule, and what would start it",
      "headgate explain ai-dev-half        the same for the first waiting job of a queue",
      "headgate explain train-7 -o json    the same as JSON",
      ""
    },
    description = "Explains why a job waits, runs or ended, or why the jobs of a queue wait.")
public final class ExplainCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(paramLabel = "JOB|QUEUE", description = "Id of the job, or name of the queue.")
  private String name = "";

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    try {
      print(invocation, invocation.session().jobs().explain(name));
    } catch (HeadgateException e) {
      if (!e.reason().equals("JOB_NOT_FOUND")) {
        throw e;
      }
      explain(invocation, queue(invocation, e));
    }
    return ExitCode.DONE;
  }

  private static void print(Invocation invocation, JobExplanation message) {
    Explanation explanation = EventMessages.explanation(message);
    if (!isText(invocation)) {
      machine(invocation, Row.of(explanation.job().id(), "explanation", "explanations", message));
      return;
    }
    List<String> words = LastWords.of(invocation, explanation.job());
    new ExplanationText(invocation.output())
        .lines(explanation, words)
        .forEach(invocation.output()::line);
  }

  private Queue queue(Invocation invocation, HeadgateException noJob) {
    List<Queue> queues = invocation.session().catalog().queues();
    return queues.stream()
        .filter(queue -> ResourceNames.id(queue.getName()).equals(name))
        .findFirst()
        .orElseThrow(() -> neither(invocation, queues, noJob));
  }

  private CliFailure neither(Invocation invocation, List<Queue> queues, HeadgateException noJob) {
    String all = "jobs: headgate jobs --all   queues: headgate queues";
    List<String> names = queues.stream().map(it -> ResourceNames.id(it.getName())).toList();
    ErrorFrame frame =
        ErrorFrames.of(noJob, invocation.session().server())
            .message("no job and no queue is named \"" + name + "\"")
            .next(
                List.of(
                    NearestName.find(name, names)
                        .map(near -> "did you mean the queue " + near + "?   " + all)
                        .orElse(all)));
    return new CliFailure(List.of(frame), ExitCode.of(noJob), null);
  }

  /// Jobs of a queue have the same size and rights, so the first one represents them.
  private void explain(Invocation invocation, Queue queue) {
    QueueUsage message =
        invocation.session().catalog().queueUsages().stream()
            .filter(usage -> usage.getQueue().equals(name))
            .findFirst()
            .orElse(QueueUsage.newBuilder().setQueue(name).build());
    Optional<JobExplanation> first = first(invocation);
    if (!isText(invocation)) {
      List<RowMessage> parts = new ArrayList<>();
      parts.add(new RowMessage("queue", "queues", queue));
      parts.add(new RowMessage("usage", "usages", message));
      first.ifPresent(it -> parts.add(new RowMessage("explanation", "explanations", it)));
      machine(invocation, new Row<>(name, parts));
      return;
    }
    Usage.OfQueue usage = UsageMessages.usage(message);
    invocation
        .output()
        .line(
            "%s (policy %s, profile %s, rank %d): %s, %s%s"
                .formatted(
                    invocation.output().bold(name),
                    queue.getPolicy(),
                    queue.getProfile(),
                    queue.getRank(),
                    jobs(usage.waitingJobs(), "wait"),
                    jobs(usage.runningJobs(), "run"),
                    queue.getPaused() ? "; it is paused" : ""));
    if (first.isPresent()) {
      invocation.output().line(usage.waitingJobs() > 1 ? "This is its first waiting job:" : "");
      print(invocation, first.get());
    }
  }

  /// `no job waits`, `1 job runs`, `12 jobs run`.
  private static String jobs(long count, String verb) {
    return count == 0
        ? "no job " + verb + "s"
        : EnglishText.count(count, "job") + " " + verb + (count == 1 ? "s" : "");
  }

  /// The newest waiting job has the longest list of jobs ahead of it.
  private Optional<JobExplanation> first(Invocation invocation) {
    JobFilter waiting =
        JobFilter.ALL.withQueues(List.of(name)).withStates(List.of(JobState.WAITING));
    var newest = invocation.session().jobs().list(waiting, 1, "").getJobsList();
    if (newest.isEmpty()) {
      return Optional.empty();
    }
    JobExplanation last =
        invocation.session().jobs().explain(ResourceNames.id(newest.getFirst().getName()));
    for (String ahead : last.getAheadList()) {
      JobExplanation before = invocation.session().jobs().explain(ahead);
      if (before.getJob().getSpec().getQueue().equals(name)) {
        return Optional.of(before);
      }
    }
    return Optional.of(last);
  }

  private static boolean isText(Invocation invocation) {
    OutputForm.Kind kind = invocation.form().kind();
    return kind == OutputForm.Kind.TABLE || kind == OutputForm.Kind.WIDE;
  }

  private static void machine(Invocation invocation, Row<String> row) {
    new Listing<String>("explanations", List.of("explanations"), id -> id, List.of())
        .printOne(row, invocation.form(), invocation.output());
  }
}
