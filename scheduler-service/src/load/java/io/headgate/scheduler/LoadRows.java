package io.headgate.scheduler;

import com.google.common.util.concurrent.ListenableFuture;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/// The measurements.
///
/// Rates come from a closed loop, with a fixed number of calls in flight. Times and life cycles
/// come from an open loop: each call begins when it is due, however long earlier calls take, and
/// its time counts from then.
final class LoadRows {
  private static final ListJobsRequest FIRST_PAGE =
      ListJobsRequest.newBuilder().setParent(Fixtures.ACME).setPageSize(100).build();

  private static final int WARMING_RATE = 1_000;
  private static final int WARMING = 16;
  private static final int BATCH = 100;
  private static final int FILL_BATCH = 5000;
  private static final int FILLING = 2;
  private static final int MANY = 1_000_000;
  private static final int MOST_BYTES_PER_JOB = 1024;
  private static final int SINGLE_CALLS = 500;
  private static final int IDLE_RATE = 20;
  private static final int PREEMPTIONS = 100;
  private static final int LISTS = 200;
  private static final int CONNECTIONS = 4;
  private static final double NANOS_PER_SECOND = 1e9;

  private final LoadRig rig;
  private final LoadBenchmark.Options options;
  private final LoadCalibration machine;
  private final LoadBenchmark.Heard heard;
  private final LoadFigures figures;
  private final LoadClients clients;
  private final LoadSubmissions submissions;
  private final LoadFaults faults;

  LoadRows(
      LoadRig rig, LoadBenchmark.Options options, LoadFigures figures, LoadBenchmark.Heard heard) {
    this.rig = rig;
    this.options = options;
    this.figures = figures;
    this.machine = figures.machine();
    this.heard = heard;
    this.faults = new LoadFaults(rig, options, figures, heard);
    this.clients = new LoadClients(rig, CONNECTIONS);
    this.submissions = new LoadSubmissions(rig, options, figures, heard, clients);
  }

  void calibration() {
    figures.print(
        "calibration_inserts", Map.of("clients", "64"), machine.insertsPerSecond(), "inserts/s");
    figures.print(
        "calibration_batch_rows", Map.of("clients", "8"), machine.batchRowsPerSecond(), "rows/s");
    figures.print("calibration_commit", Map.of("clients", "1"), machine.commitMillis(), "ms");
  }

  /// Lets as many jobs wait as were asked for, and lets the scheduler that all is measured on serve
  /// for a while.
  void prepare() {
    if (options.waiting() > MANY) {
      // It starts anew after its million.
      fill();
      warm();
    } else {
      warm();
      fill();
    }
  }

  /// Warms the scheduler up with calls of each kind, and leaves no job over.
  ///
  /// First as much load as the scheduler takes, then single jobs at a rate that leaves time between
  /// them: other code must be fast there.
  private void warm() {
    if (options.warm() > 0) {
      long waiting = waiting();
      int running = rig.fleet().running();
      LoadLoops.closed(
          WARMING,
          options.warm() / 2,
          client -> {
            switch (client) {
              case 0 -> clients.stub(0).listJobs(FIRST_PAGE);
              case 1 -> clients.submitBatch(1, LoadRig.QUICK, BATCH);
              default -> clients.submit(client, LoadRig.QUICK);
            }
          });
      LoadLoops.open(
          WARMING_RATE,
          WARMING_RATE * options.warm() / 2,
          (number, _) -> {
            var _ = clients.begin(number, List.of(clients.name("warming")));
          });
      LoadRig.await("idleness", () -> waiting() <= waiting && rig.fleet().running() <= running);
    }
  }

  private long waiting() {
    return clients.stub(0).listJobs(FIRST_PAGE).getCountsOrDefault("STATE_WAITING", 0);
  }

  /// One of them runs.
  private void fill() {
    if (options.waiting() == 0) {
      return;
    }
    long heap = rig.memoryBytes()[1];
    if (options.waiting() > MANY) {
      multiply();
    } else {
      submit();
    }
    figures.print(
        "waiting_job_heap",
        Map.of(),
        (double) (rig.memoryBytes()[1] - heap) / options.waiting(),
        "B",
        0,
        OptionalDouble.of(MOST_BYTES_PER_JOB));
  }

  private void submit() {
    AtomicInteger left = new AtomicInteger(options.waiting());
    long begun = System.nanoTime();
    LoadLoops.each(
        FILLING,
        client -> {
          for (int i = left.getAndAdd(-FILL_BATCH); i > 0; i = left.getAndAdd(-FILL_BATCH)) {
            clients.submitBatch(client, LoadRig.crowd(i / FILL_BATCH), Math.min(FILL_BATCH, i));
          }
        });
    double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
    figures.print("fill", Map.of("batch", "5000"), options.waiting() / seconds, "jobs/s");
  }

  private void multiply() {
    for (int i = 0; i < LoadRig.CROWDS; i++) {
      clients.submitBatch(0, LoadRig.crowd(i), 2);
    }
    int welcomes = rig.fleet().welcomes();
    try {
      rig.multiply(options.waiting());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rig.fleet().awaitWelcomes(welcomes);
    rig.takeover().forEach(System.err::println);
  }

  void measure(String row) {
    switch (row) {
      case "ack" -> acknowledgement();
      case "assign" -> assignment();
      case "unary" -> submissions.unary("submit_unary", LoadRig.crowd(0));
      case "batch" -> submissions.batches();
      case "submit" -> submissions.atLoads();
      case "overload" -> submissions.overload();
      case "list" -> lists();
      case "usage" -> new LoadUsage(rig, figures).measure();
      case "top" -> new LoadTop(rig, options, figures).measure();
      case "lifecycle" -> options.rates().forEach(this::lifeCycles);
      case "preempt" -> preemptions();
      case "agents" -> faults.agents();
      case "takeover" -> faults.takeovers();
      case "durable" -> faults.durable();
      case "flood" ->
          new LoadFlood(
                  rig,
                  new LoadHonest(options, figures, clients),
                  figures,
                  options.isApart(),
                  options.addresses())
              .measure();
      case "attack" -> new LoadAttack(rig, options, figures, clients).measure();
      default -> throw new IllegalArgumentException(row);
    }
  }

  private void acknowledgement() {
    Histogram nanos = LoadFigures.histogram();
    for (int i = -SINGLE_CALLS; i < SINGLE_CALLS; i++) {
      long begun = System.nanoTime();
      clients.submit(0, LoadRig.crowd(i & 7));
      if (i >= 0) {
        nanos.recordValue(System.nanoTime() - begun);
      }
    }
    figures.times("submit_ack_idle", Map.of("clients", "1"), nanos, 2, 15);
  }

  /// From the moment when a submission was due to the assignment at the agent.
  private void assignment() {
    Histogram nanos = LoadFigures.histogram();
    int warm = IDLE_RATE * 3;
    CountDownLatch assigned = new CountDownLatch(IDLE_RATE * options.seconds());
    LoadLoops.open(
        IDLE_RATE,
        warm + IDLE_RATE * options.seconds(),
        (number, due) -> {
          String job = clients.name("idle");
          heard.onAssign(
              job,
              at -> {
                if (number >= warm) {
                  nanos.recordValue(at - due);
                  assigned.countDown();
                }
              });
          var _ = clients.begin(number, List.of(job));
        });
    LoadLoops.await(assigned);
    figures.times("submit_to_assignment_idle", Map.of("rate", "20"), nanos, 10, 50);
  }

  private void lists() {
    Histogram nanos = LoadFigures.histogram();
    for (int i = -LISTS; i < LISTS; i++) {
      long begun = System.nanoTime();
      clients.stub(0).listJobs(FIRST_PAGE);
      if (i >= 0) {
        nanos.recordValue(System.nanoTime() - begun);
      }
    }
    figures.times("list_first_page", Map.of("page", "100"), nanos, 20, 20);
  }

  /// Submitted, assigned, started, ended and all of that durable, at a rate that does not wait.
  private void lifeCycles(int rate) {
    int jobs = rate * options.seconds() / options.batch() * options.batch();
    Histogram nanos = LoadFigures.histogram();
    CountDownLatch assigned = new CountDownLatch(jobs);
    AtomicInteger refused = new AtomicInteger();
    int live = rig.fleet().live();
    double call = submissions.bareCall(rate);
    double[] before = rig.cpuSeconds();
    long begun = System.nanoTime();
    int batch = options.batch();
    LoadLoops.open(
        rate / batch,
        jobs / batch,
        (number, due) -> {
          List<String> together =
              Stream.generate(() -> clients.name("cycle")).limit(batch).toList();
          for (String job : together) {
            heard.onAssign(
                job,
                at -> {
                  nanos.recordValue(at - due);
                  assigned.countDown();
                });
          }
          ListenableFuture<?> answer = clients.begin(number, together);
          answer.addListener(
              () -> {
                if (answer.state() == java.util.concurrent.Future.State.FAILED) {
                  refused.addAndGet(batch);
                  together.forEach(_ -> assigned.countDown());
                }
              },
              Runnable::run);
        });
    LoadLoops.await(assigned);
    LoadRig.await("the ends of all", () -> rig.fleet().live() <= live);
    double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
    Map<String, String> parameters =
        Map.of(
            "rate",
            Integer.toString(rate),
            "batch",
            Integer.toString(batch),
            "refused",
            Integer.toString(refused.get()));
    int done = jobs - refused.get();
    figures.print(
        "life_cycles",
        parameters,
        done / seconds,
        "jobs/s",
        machine.insertsPerSecond(),
        OptionalDouble.of(0.95 * rate));
    submissions.cpu("life_cycle", parameters, before, done, call);
    figures.times("submit_to_assignment", parameters, nanos, 10, 50);
  }

  /// On a full cluster each job of the entitled policy makes one of another stop.
  private void preemptions() {
    for (int left = rig.gpus() + 500; left > 0; left -= BATCH) {
      clients.submitBatch(0, LoadRig.LOOSE, Math.min(left, BATCH));
    }
    LoadRig.await("a full cluster", () -> rig.fleet().running() >= rig.gpus());
    Histogram nanos = LoadFigures.histogram();
    int preemptions = Math.min(PREEMPTIONS, rig.gpus() / 10);
    for (int i = 0; i < preemptions; i++) {
      CountDownLatch stopped = new CountDownLatch(1);
      CountDownLatch begun = new CountDownLatch(1);
      String job = clients.name("firm");
      heard.onAssign(job, _ -> begun.countDown());
      long due = System.nanoTime();
      heard.onStop(at -> {
        if (stopped.getCount() > 0) {
          nanos.recordValue(at - due);
          stopped.countDown();
        }
      });
      var _ = clients.stub(0).submitJob(Fixtures.submit(LoadRig.FIRM, job));
      LoadLoops.await(stopped);
      LoadLoops.await(begun);
    }
    heard.onStop(_ -> {});
    figures.times("submit_to_stop_request", Map.of(), nanos, 50, 50);
    submissions.unary("submit_unary_full_cluster", LoadRig.LOOSE);
  }
}
