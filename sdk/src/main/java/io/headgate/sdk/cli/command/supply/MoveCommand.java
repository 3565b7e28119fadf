package io.headgate.sdk.cli.command.supply;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.CatalogClient;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.Node;
import io.headgate.sdk.model.Usage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate move`.
@Command(
    header = {
      "headgate move gpu-03 research            its running jobs go on",
      "headgate move gpu-03 research --drain    waits first until they have ended",
      ""
    },
    description =
        "Puts a node into another pool. A job that runs there goes on, and counts in the pool where"
            + " it started. For admins.")
public final class MoveCommand implements CliCommand {
  private static final long LOOK_MILLIS = 500;
  private static final Duration FOR_EVER = Duration.ofDays(100_000);

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(index = "0", paramLabel = "NODE", description = "Id of the node.")
  private String node = "";

  @Parameters(index = "1", paramLabel = "POOL", description = "Id of its new pool.")
  private String pool = "";

  @Option(
      names = "--drain",
      description =
          "Drain the node first, wait for its jobs, move it, and put it back into service.")
  private boolean drain;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    CatalogClient catalog = invocation.session().client().catalog(invocation.session().tenant());
    Node before = catalog.node(node);
    if (before.pool().equals(pool)) {
      invocation.output().line(node + " is in pool " + pool + " already");
      return ExitCode.DONE;
    }
    if (drain) {
      // A move that is refused must not drain the node first.
      catalog.checkMove(node, pool);
      catalog.drain(node, before.draining() ? before.drainReason() : "moves to pool " + pool);
      awaitIdle(invocation, catalog);
    }
    catalog.move(node, pool);
    if (drain && !before.draining()) {
      catalog.undrain(node);
    }
    invocation.output().line("%s: pool %s -> %s".formatted(node, before.pool(), pool));
    return ExitCode.DONE;
  }

  /// Waits until no job is on the node. A job that comes while the drain takes effect is seen in
  /// the next look.
  private void awaitIdle(Invocation invocation, CatalogClient catalog) throws InterruptedException {
    JobClient jobs = invocation.session().client().jobs(invocation.session().tenant());
    for (List<String> here = jobsHere(catalog); !here.isEmpty(); here = jobsHere(catalog)) {
      invocation
          .output()
          .note(
              "%s drains: waiting for %s (Ctrl-C leaves it draining; headgate undrain %s)"
                  .formatted(node, String.join(", ", here), node));
      here.forEach(id -> jobs.await(id, job -> !isHere(job), FOR_EVER));
      // The list of the node's jobs may be a moment behind.
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  private List<String> jobsHere(CatalogClient catalog) {
    return catalog.nodeUsages().stream()
        .filter(usage -> usage.id().equals(node))
        .findFirst()
        .map(Usage.OfNode::jobs)
        .orElse(List.of());
  }

  private boolean isHere(Job job) {
    return !job.state().isFinal()
        && job.currentAttempt().stream()
            .filter(attempt -> attempt.endTime() == null)
            .flatMap(attempt -> attempt.placements().stream())
            .anyMatch(placement -> placement.node().equals(node));
  }
}
