package io.headgate.sdk.cli.command;

import io.headgate.proto.scheduler.v1.Job;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobSpec.AbortCallback;
import io.headgate.sdk.model.Submission;
import io.headgate.sdk.wire.ResourceNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate submit`.
@Command(
    header = {
      "headgate submit -q ai-dev-half --name train -- python train.py",
      "headgate submit -q cpu --follow -- sh -c 'echo hello'     exit with the job's own code",
      "headgate submit -q ai-dev-half --dry-run -- python train.py",
      ""
    },
    description = "Submits a job to a queue.")
public final class SubmitCommand implements CliCommand {
  private static final int MOST = 10_000;

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Option(
      names = {"-q", "--queue"},
      required = true,
      paramLabel = "QUEUE",
      description = "The queue; yours are in: headgate queues.")
  private String queue = "";

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The job's id is this, a hyphen and a number (default: the queue's name).")
  private @Nullable String name;

  @Option(names = "--id", paramLabel = "ID", description = "The job's exact id.")
  private @Nullable String id;

  @Option(names = "--count", paramLabel = "N", description = "Submit N of them, all or none.")
  private int count = 1;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "A variable of the job; K alone takes the value from here.")
  private List<String> environment = List.of();

  @Option(
      names = "--workdir",
      paramLabel = "DIR",
      description = "Working directory on the node (default: a private one).")
  private @Nullable String workdir;

  @Option(
      names = "--max-runtime",
      paramLabel = "TIME",
      description = "Stop it after this long, as 4h.")
  private @Nullable String maxRuntime;

  @Option(
      names = "--on-abort",
      paramLabel = "CMD",
      description = "Run before the job is stopped, by sh, to save its progress.")
  private @Nullable String onAbort;

  @Option(
      names = "--abort-timeout",
      paramLabel = "TIME",
      description = "How long that may take (default: 180s).")
  private @Nullable String abortTimeout;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      description = "Between SIGTERM and SIGKILL (default: 10s).")
  private @Nullable String grace;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "Higher goes first within the queue, -1000 to 1000.")
  private int priority;

  @Option(
      names = "--preemptible",
      arity = "1",
      paramLabel = "BOOL",
      description = "Whether it may be preempted (default: as its policy says).")
  private @Nullable Boolean preemptible;

  @Option(names = "--label", paramLabel = "K=V", description = "A label.")
  private Map<String, String> labels = Map.of();

  @Option(names = "--draft", description = "Hold it back; requeue sends it off.")
  private boolean draft;

  @Option(
      names = {"-f", "--follow"},
      description = "Show its output and exit with its code.")
  private boolean follow;

  @Option(names = "--wait", description = "Wait for its end and exit with its code.")
  private boolean await;

  @Option(names = "--dry-run", description = "Submit nothing; say what would become of it.")
  private boolean dryRun;

  @Option(names = "--raw", description = "With --follow: control characters too.")
  private boolean raw;

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description = "Submitting again with the same id gives the same job.")
  private @Nullable String requestId;

  @Parameters(
      arity = "1..*",
      paramLabel = "CMD",
      description = "Program and arguments, run as they are, without a shell.")
  private List<String> command = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    if (!follow && !await) {
      return submit(invocation);
    }
    try {
      return submit(invocation);
    } catch (HeadgateException e) {
      throw new SubmitRefusal(invocation, queue, request()).of(e, ExitCode.FOLLOW_FAILED);
    }
  }

  private int submit(Invocation invocation) {
    if (count < 1 || count > MOST) {
      throw new UsageException(
          "--count " + count + " is not between 1 and " + MOST, "BAD_FLAG_VALUE");
    }
    if (count > 1 && (follow || await || dryRun || id != null)) {
      throw new UsageException(
          "--count goes with neither --follow, --wait, --dry-run nor --id",
          "FLAGS_CONFLICT",
          "submit without it, then: headgate wait JOB...");
    }
    List<Job> jobs;
    try {
      jobs = send(invocation);
    } catch (HeadgateException e) {
      int exitCode = follow || await ? ExitCode.FOLLOW_FAILED : ExitCode.of(e);
      throw new SubmitRefusal(invocation, queue, request()).of(e, exitCode);
    }
    SubmitReport report = new SubmitReport(invocation);
    if (dryRun) {
      report.dryRun(jobs.getFirst());
      return ExitCode.DONE;
    }
    report.submitted(jobs, follow || await);
    String first = ResourceNames.id(jobs.getFirst().getName());
    if (follow) {
      return new Follow(invocation, first, raw).run();
    }
    return await ? WaitCommand.await(invocation, List.of(first)) : ExitCode.DONE;
  }

  private List<Job> send(Invocation invocation) {
    Submission submission = new Submission(spec(invocation), id, name);
    if (count == 1) {
      return List.of(
          invocation.session().jobs().submit(submission, dryRun ? "" : request(), dryRun));
    }
    List<Submission> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(submission);
    }
    return invocation.session().jobs().submitAll(all, request());
  }

  /// One id for however often the request is sent.
  private String request() {
    String own = requestId;
    if (own == null) {
      own = UUID.randomUUID().toString();
      requestId = own;
    }
    return own;
  }

  private JobSpec spec(Invocation invocation) {
    JobSpec spec =
        JobSpec.of(queue, command)
            .withEnvironment(variables(invocation))
            .withWorkingDirectory(workdir)
            .withPriority(priority)
            .withPreemptible(preemptible)
            .withLabels(labels)
            .withDraft(draft);
    if (maxRuntime != null) {
      spec = spec.withMaxRuntime(Invocation.duration("--max-runtime", maxRuntime));
    }
    if (grace != null) {
      spec = spec.withTerminationGrace(Invocation.duration("--grace", grace));
    }
    if (onAbort != null) {
      // Our own words to sh, never words put together with the user's.
      List<String> callback = List.of("sh", "-c", onAbort);
      spec =
          spec.withAbortCallback(
              new AbortCallback(
                  callback,
                  abortTimeout == null
                      ? null
                      : Invocation.duration("--abort-timeout", abortTimeout)));
    }
    return spec;
  }

  private Map<String, String> variables(Invocation invocation) {
    Map<String, String> variables = new LinkedHashMap<>();
    for (String entry : environment) {
      int equals = entry.indexOf('=');
      String key = equals < 0 ? entry : entry.substring(0, equals);
      variables.put(
          key, equals < 0 ? invocation.environment().variable(key) : entry.substring(equals + 1));
    }
    return variables;
  }
}
