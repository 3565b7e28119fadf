package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.model.Job;
import java.util.Locale;

/// What became of a job that was asked to change.
final class JobChangeReport {
  private JobChangeReport() {}

  static void print(Invocation invocation, io.headgate.proto.scheduler.v1.Job message) {
    Row<Job> row = JobListing.row(message);
    if (invocation.form().kind() == OutputForm.Kind.TABLE) {
      Job job = row.value();
      String more = io.headgate.sdk.cli.output.Clean.line(JobTexts.whereOrReason(job));
      invocation
          .output()
          .line(
              job.id()
                  + " "
                  + job.state().name().toLowerCase(Locale.ROOT)
                  + (more.isEmpty() ? "" : ": " + more));
    } else {
      JobListing.listing(invocation.output().times())
          .printOne(row, invocation.form(), invocation.output());
    }
  }
}
