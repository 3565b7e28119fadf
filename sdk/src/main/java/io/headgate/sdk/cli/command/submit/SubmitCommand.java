package io.headgate.sdk.cli.command.submit;

import io.headgate.proto.scheduler.v1.Job;
import io.headgate.sdk.cli.command.job.LiveJobView;
import io.headgate.sdk.cli.command.job.WaitCommand;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.Submission;
import io.headgate.sdk.wire.ResourceNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate submit`.
@Command(
    header = {
      "headgate submit -q ai-dev-half --name train -- python train.py",
      "headgate submit -q cpu --follow -- sh -c 'echo hello'     exit with the job's own code",
      "headgate submit -q ai-dev-half --dry-run -- python train.py",
      "headgate submit -q ai-dev-half --after train-7 -- python evaluate.py    once train-7 is done",
      "headgate submit -f job.yaml --name again                  keys of the file: headgate help job",
      ""
    },
    description = "Submits a job to a queue.")
public final class SubmitCommand implements CliCommand {
  private static final int MOST = 10_000;

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Mixin private final JobOptions job = new JobOptions();

  @Option(names = "--id", paramLabel = "ID", description = "The job's exact id.")
  private @Nullable String id;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Submit N equal jobs, all or none; each sees HEADGATE_INDEX, 1 to N.")
  private int count = 1;

  @Option(names = "--follow", description = "Show the job's output and exit with its code.")
  private boolean follow;

  @Option(names = "--wait", description = "Wait until the job ends and exit with its code.")
  private boolean await;

  @Option(names = "--dry-run", description = "Submit nothing; print what would happen to the job.")
  private boolean dryRun;

  @Option(names = "--raw", description = "With --follow: do not filter control characters.")
  private boolean raw;

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description = "Submitting again with the same request id returns the same job.")
  private @Nullable String requestId;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException {
    job.read(invocation);
    if (!follow && !await) {
      return submit(invocation);
    }
    try {
      return submit(invocation);
    } catch (HeadgateException e) {
      throw new SubmitRefusal(invocation, job.queue(), request()).of(e, ExitCode.FOLLOW_FAILED);
    }
  }

  private int submit(Invocation invocation) {
    if (count < 1 || count > MOST) {
      throw new UsageException(
          "--count " + count + " is not between 1 and " + MOST, "BAD_FLAG_VALUE");
    }
    if (count > 1 && (follow || await || dryRun || id != null)) {
      throw new UsageException(
          "--count cannot be combined with --follow, --wait, --dry-run or --id",
          "FLAGS_CONFLICT",
          "submit without the other flag, then: headgate wait JOB...");
    }
    List<Job> jobs;
    try {
      jobs = send(invocation);
    } catch (HeadgateException e) {
      int exitCode = follow || await ? ExitCode.FOLLOW_FAILED : ExitCode.of(e);
      throw new SubmitRefusal(invocation, job.queue(), request()).of(e, exitCode);
    }
    SubmitReport report = new SubmitReport(invocation);
    if (dryRun) {
      report.dryRun(jobs.getFirst());
      report.hints(job.spec(invocation));
      return ExitCode.DONE;
    }
    report.submitted(jobs, follow || await);
    report.hints(job.spec(invocation));
    String first = ResourceNames.id(jobs.getFirst().getName());
    if (follow) {
      return new LiveJobView(invocation, first, raw).run();
    }
    return await ? WaitCommand.await(invocation, List.of(first)) : ExitCode.DONE;
  }

  private List<Job> send(Invocation invocation) {
    Submission submission = new Submission(job.spec(invocation), id, job.name());
    if (count == 1) {
      return List.of(
          invocation.session().jobs().submit(submission, dryRun ? "" : request(), dryRun));
    }
    List<Submission> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      all.add(
          new Submission(
              submission.spec().withCopyNumber(new JobSpec.CopyNumber(i, count)),
              submission.jobId(),
              submission.idPrefix()));
    }
    return invocation.session().jobs().submitAll(all, request());
  }

  /// The request id stays the same for every retry.
  private String request() {
    String own = requestId;
    if (own == null) {
      own = UUID.randomUUID().toString();
      requestId = own;
    }
    return own;
  }
}
