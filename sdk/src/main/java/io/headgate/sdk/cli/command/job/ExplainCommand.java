package io.headgate.sdk.cli.command.job;

import io.headgate.proto.policy.v1.Policy;
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
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate explain`.
@Command(
    header = {
      "headgate explain train-7            why it waits, rule by rule, and what would start it",
      "headgate explain ai-dev-half        the same for the first waiting job of a queue",
      "headgate explain ai-dev             who of a policy uses what, and why its jobs wait",
      "headgate explain train-7 -o json    the same as JSON",
      ""
    },
    description =
        "Explains why a job waits, runs or ended, or why the jobs of a queue or a policy wait.")
public final class ExplainCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(paramLabel = "JOB|QUEUE|POLICY", description = "A job, a queue or a policy.")
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
      explain(invocation, e);
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

  /// Explains the queue or the policy of the name.
  private void explain(Invocation invocation, HeadgateException noJob) {
    List<Queue> queues = invocation.session().catalog().queues();
    Optional<Queue> queue =
        queues.stream().filter(each -> ResourceNames.id(each.getName()).equals(name)).findFirst();
    if (queue.isPresent()) {
      explain(invocation, queue.get());
      return;
    }
    List<Policy> policies = invocation.session().catalog().policies();
    Policy policy =
        policies.stream()
            .filter(each -> ResourceNames.id(each.getName()).equals(name))
            .findFirst()
            .orElseThrow(() -> neither(invocation, queues, policies, noJob));
    PolicyExplanation explanation = new PolicyExplanation(invocation, policy);
    if (isText(invocation)) {
      explanation.print();
    } else {
      machine(invocation, new Row<>(name, explanation.messages()));
    }
  }

  private CliFailure neither(
      Invocation invocation, List<Queue> queues, List<Policy> policies, HeadgateException noJob) {
    String all =
        "jobs: headgate jobs --all   queues: headgate queues   policies: headgate policies";
    List<String> names =
        Stream.concat(
                queues.stream().map(it -> ResourceNames.id(it.getName())),
                policies.stream().map(it -> ResourceNames.id(it.getName())))
            .distinct()
            .toList();
    ErrorFrame frame =
        ErrorFrames.of(noJob, invocation.session().server())
            .message("no job, queue or policy is named \"" + name + "\"")
            .next(
                List.of(
                    NearestName.find(name, names)
                        .map(near -> "did you mean " + near + "?   " + all)
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
                    PolicyExplanation.jobs(usage.waitingJobs(), "wait"),
                    PolicyExplanation.jobs(usage.runningJobs(), "run"),
                    queue.getPaused() ? "; it is paused" : ""));
    if (first.isPresent()) {
      invocation.output().line(usage.waitingJobs() > 1 ? "This is its first waiting job:" : "");
      print(invocation, first.get());
    }
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
