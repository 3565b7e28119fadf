package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.JobTexts;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;

/// Prints the state of a job after a request to cancel or requeue it.
final class JobChangeReport {
  private JobChangeReport() {}

  static void print(Invocation invocation, io.headgate.proto.scheduler.v1.Job message) {
    Row<Job> row = JobListing.row(message);
    if (invocation.form().kind() == OutputForm.Kind.TABLE) {
      Job job = row.value();
      boolean tooLate = job.state() == JobState.DONE || job.state() == JobState.FAILED;
      invocation
          .output()
          .line(job.id() + (tooLate ? " had already ended and is " : " ") + JobTexts.stands(job));
    } else {
      JobListing.listing(invocation.output().times())
          .printOne(row, invocation.form(), invocation.output());
    }
  }
}
