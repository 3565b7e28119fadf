package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.JobTexts;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.client.JobFollower;
import io.headgate.sdk.model.Attempt.Preemption;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.LogPiece;
import java.util.Locale;
import java.util.Objects;

/// Follows a job to its end and returns its exit code: the job's own, 143 for a cancelled job, 125
/// when headgate failed.
///
/// Ctrl-C detaches: the job continues, and the command that reattaches is printed.
public final class LiveJobView {
  /// Lines about the progress of a large array.
  private static final int STEPS = 100;

  private final Invocation invocation;
  private final String id;
  private final LogPrinter printer;
  private volatile boolean detached;

  public LiveJobView(Invocation invocation, String id, boolean raw) {
    this.invocation = invocation;
    this.id = id;
    this.printer = new LogPrinter(invocation, raw);
  }

  public int run() {
    Thread detach = new Thread(this::sayHowToComeBack, "headgate-detach");
    Runtime.getRuntime().addShutdownHook(detach);
    try {
      JobClient jobs = invocation.session().client().jobs(invocation.session().tenant());
      StateNotes narrator = new StateNotes();
      Job job = jobs.follow(id, narrator);
      narrator.say(job);
      return WaitCommand.ended(invocation, job);
    } finally {
      if (!detached) {
        Runtime.getRuntime().removeShutdownHook(detach);
      }
    }
  }

  private void sayHowToComeBack() {
    detached =
        true; // The JVM shuts down with exit code 130 and no longer accepts the removal of a hook.
    invocation
        .environment()
        .err()
        .println("\ndetached; " + id + " continues. Follow it again: headgate logs -f " + id);
  }

  public static int exitCode(Job job) {
    Integer own = job.exitCode();
    return switch (job.state()) {
      case DONE -> ExitCode.DONE;
      case CANCELLED -> ExitCode.JOB_CANCELLED;
      case FAILED -> own == null || own == 0 ? ExitCode.FOLLOW_FAILED : own;
      case LOST, DRAFT, WAITING, ASSIGNED, RUNNING, STOPPING, SUSPENDED, UNKNOWN ->
          ExitCode.FOLLOW_FAILED;
    };
  }

  private final class StateNotes implements JobFollower.Listener {
    private String said = "";
    private long lastStep;

    @Override
    public void changed(Job job) {
      // The final state is printed after all output. The output of a lost job may never arrive, so
      // its state is printed at once.
      if (!job.state().isFinal() || job.state() == JobState.LOST) {
        say(job);
      }
    }

    synchronized void say(Job job) {
      if (said.isEmpty() && job.arrayProgress() != null) {
        invocation
            .output()
            .note(
                "%s is an array: its progress is shown. Output of an element: headgate logs -f %s.1"
                    .formatted(id, id));
      }
      String text = text(job);
      if (!text.equals(said)
          && (isPart(job)
              || said.isEmpty())) { // A watch also reports changes that this text does not show.
        said = text;
        invocation.output().note(invocation.output().errorPaint().paint(style(job), text));
      }
    }

    /// Whether the progress of an array is worth a line: a large array says a hundred times at most
    /// that elements ended.
    private boolean isPart(Job job) {
      Job.ArrayProgress progress = job.arrayProgress();
      if (progress == null || progress.size() <= STEPS || job.state().isFinal()) {
        return true;
      }
      long step = (long) progress.ended() * STEPS / progress.size();
      boolean isNew = step != lastStep;
      lastStep = step;
      return isNew;
    }

    private io.headgate.sdk.cli.output.Style style(Job job) {
      return job.state() == JobState.RUNNING
          ? io.headgate.sdk.cli.output.Style.DIM
          : JobTexts.style(job.state());
    }

    private String text(Job job) {
      String what = job.id() + " " + job.state().name().toLowerCase(Locale.ROOT);
      Preemption preemption =
          job.currentAttempt().map(attempt -> attempt.preemption()).orElse(null);
      String more =
          switch (job.state()) {
            case RUNNING -> running(job);
            case STOPPING ->
                preemption == null
                    ? "asked to stop"
                    : JobTexts.preemption(preemption) + ": " + preemption.message();
            default -> JobTexts.whereOrReason(job);
          };
      return Objects.requireNonNull(
          io.headgate.sdk.cli.output.PrintableText.line(
              more.isEmpty() ? what : what + ": " + more));
    }

    private String running(Job job) {
      Job.ArrayProgress progress = job.arrayProgress();
      return progress == null
          ? "on " + JobTexts.whereOrReason(job) + ", attempt " + job.attempt()
          : JobTexts.elements(progress, job.state());
    }

    @Override
    public void printed(LogPiece piece) {
      printer.print(piece);
    }
  }
}
