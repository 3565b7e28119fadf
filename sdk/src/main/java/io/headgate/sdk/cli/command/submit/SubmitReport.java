package io.headgate.sdk.cli.command.submit;

import io.headgate.proto.pool.v1.JobFiles;
import io.headgate.proto.pool.v1.Node;
import io.headgate.sdk.cli.command.job.JobListing;
import io.headgate.sdk.cli.command.shared.JobTexts;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.config.ByteText;
import io.headgate.sdk.config.CpuText;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.config.Profile;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Reason;
import io.headgate.sdk.wire.JobMessages;
import io.headgate.sdk.wire.SupplyMessages;
import io.headgate.type.FilesView;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Prints the result of a submission.
record SubmitReport(Invocation invocation) {
  private static final int MOST_NODES = 100;

  /// Prints the submitted job or jobs.
  ///
  /// @param watched the command goes on to follow the job, so hints are left out
  void submitted(List<io.headgate.proto.scheduler.v1.Job> messages, boolean watched) {
    Output output = invocation.output();
    List<Row<Job>> rows = messages.stream().map(JobListing::row).toList();
    if (invocation.form().kind() != OutputForm.Kind.TABLE) {
      for (Row<Job> row : rows) {
        JobListing.listing(output.times()).printOne(row, invocation.form(), output);
      }
      return;
    }
    Job first = rows.getFirst().value();
    if (rows.size() > 1) {
      output.line(
          "%s submitted to %s: %s to %s"
              .formatted(
                  EnglishText.count(rows.size(), "job"),
                  first.spec().queue(),
                  first.id(),
                  rows.getLast().value().id()));
      return;
    }
    String line =
        "%s submitted to %s%s%s"
            .formatted(output.bold(first.id()), first.spec().queue(), array(first), size(first));
    if (watched) {
      output.note(line); // Standard output carries only the job's output.
      return;
    }
    output.line(line);
    waiting(first);
    output.note(
        (first.spec().array() == null
                ? "  follow: headgate logs -f %s     why: headgate explain %s"
                : "  progress: headgate jobs %s     elements: headgate jobs --array %s")
            .formatted(first.id(), first.id()));
  }

  void dryRun(io.headgate.proto.scheduler.v1.Job message) {
    Output output = invocation.output();
    Row<Job> row = JobListing.row(message);
    if (invocation.form().kind() != OutputForm.Kind.TABLE) {
      JobListing.listing(output.times()).printOne(row, invocation.form(), output);
      return;
    }
    Job job = JobMessages.job(message);
    String array = array(job);
    if (job.reason() == null) {
      String where = array.isEmpty() ? JobTexts.whereOrReason(job) : "";
      output.line("would start now" + (where.isEmpty() ? "" : " on " + where) + array + size(job));
    } else {
      output.line("would wait" + array + size(job));
      waiting(job);
    }
  }

  /// `: 50 elements, at most 5 at a time`; empty: it is no array.
  private static String array(Job job) {
    JobSpec.Array array = job.spec().array();
    return array == null ? "" : ": " + JobTexts.array(array);
  }

  /// Prints what the server warns of, each warning once.
  void warnings(List<io.headgate.proto.scheduler.v1.Job> messages) {
    messages.stream()
        .flatMap(job -> job.getWarningsList().stream())
        .distinct()
        .forEach(warning -> {
          invocation.output().note("warning: " + PrintableText.line(warning.getMessage()));
          if (warning.getReason().equals("GANG_ABOVE_RESERVATION")) {
            invocation
                .output()
                .note(
                    "  save its work: --on-abort, --grace     be preempted later: --priority     or"
                        + " use a smaller queue");
          }
        });
  }

  /// Says what the job will not find of this machine's files.
  void hints(JobSpec spec) {
    Supplier<List<JobFiles>> nodes = new Once<>(this::files);
    new CommandHints(Path.of("").toAbsolutePath(), FilesView.own(), nodes)
        .of(spec)
        .forEach(invocation.output()::note);
  }

  /// Hints are not worth an error.
  private List<JobFiles> files() {
    try {
      return invocation.session().catalog().nodes(MOST_NODES).stream()
          .filter(Node::hasJobFiles)
          .map(Node::getJobFiles)
          .toList();
    } catch (HeadgateException e) {
      return List.of();
    }
  }

  private void waiting(Job job) {
    Reason reason = job.reason();
    if (reason == null) {
      return;
    }
    String dot = " " + invocation.output().symbols().dot() + " ";
    List<String> parts = new ArrayList<>();
    parts.add(reason.code() + ": " + reason.message());
    if (job.position() > 0) {
      parts.add("position " + job.position());
    }
    if (job.expectedStartTime() != null) {
      parts.add(
          "expected start %s (%s)"
              .formatted(
                  JobTexts.start(job, invocation.output().times()),
                  invocation.output().times().until(job.expectedStartTime())));
    }
    String verb = job.state() == JobState.DRAFT ? "held" : "waits";
    invocation.output().note("  " + verb + "  " + String.join(dot, parts));
  }

  /// ` (1/2 GPU, 4 CPUs, 16GiB)`: the resources that the profile gives to the job.
  private String size(Job job) {
    List<String> parts = new ArrayList<>();
    if (!job.gpus().toString().equals("0")) {
      parts.add(job.gpus() + " GPU");
    }
    if (invocation.output().terminal()) {
      profile(job, parts);
    }
    String each = job.spec().array() == null ? "" : " each";
    return parts.isEmpty() ? "" : " (" + String.join(", ", parts) + each + ")";
  }

  private void profile(Job job, List<String> parts) {
    try {
      Profile profile =
          SupplyMessages.profile(invocation.session().catalog().profile(job.profile()));
      if (profile.cpuMillis() > 0) {
        parts.add(CpuText.format(profile.cpuMillis()) + " CPUs");
      }
      if (profile.memoryBytes() > 0) {
        parts.add(ByteText.format(profile.memoryBytes()));
      }
    } catch (HeadgateException e) {
      invocation
          .output()
          .note("  (profile " + job.profile() + " cannot be read: " + e.reason() + ")");
    }
  }

  /// A value that is asked for once, and only if it is needed.
  private static final class Once<T> implements Supplier<T> {
    private final Supplier<T> source;
    private @Nullable T value;

    Once(Supplier<T> source) {
      this.source = source;
    }

    @Override
    public T get() {
      T known = value;
      if (known == null) {
        known = source.get();
        value = known;
      }
      return known;
    }
  }
}
