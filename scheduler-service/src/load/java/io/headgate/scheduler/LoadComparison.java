package io.headgate.scheduler;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;

/// The cost of one part of the scheduler, in life cycles. Two schedulers, one with the part and one
/// without, have a database and agents each. They are loaded in turns, so that both meet the same
/// machine, and the first of a pair changes from pair to pair.
///
/// A round is a closed loop: each client submits its next job when its last one has ended and is
/// forgotten by the agent. So the rate is the most that there can be.
final class LoadComparison {
  private static final int IN_FLIGHT = 64;
  private static final int WARMING_TURNS = 6;
  private static final Duration POLL = Duration.ofMillis(500);
  private static final int QUIET_POLLS = 4;
  private static final String COMMITS = "headgate_scheduler_commit_duration_seconds_";

  private final LoadBenchmark.Options options;
  private final LoadFigures figures;
  private final Path directory;
  private final HttpClient http = HttpClient.newHttpClient();

  /// @param directory for the databases
  LoadComparison(Path directory, LoadBenchmark.Options options, LoadFigures figures) {
    this.directory = directory;
    this.options = options;
    this.figures = figures;
  }

  private record Side(String part, LoadRig rig, LoadBenchmark.Heard heard, LoadClients clients) {}

  /// Figures of one round.
  ///
  /// @param rate life cycles a second
  /// @param cpu processor milliseconds of the scheduler for each
  /// @param commit mean milliseconds of a transaction
  private record Round(double rate, double cpu, double database, double commit) {}

  /// @param name of the comparison
  /// @param goal percent of the life cycles that it may cost
  void measure(String name, LoadRig.Variant with, LoadRig.Variant without, OptionalDouble goal) {
    try (LoadRig one = new LoadRig(directory.resolve("with"), options, 1, with);
        LoadRig other = new LoadRig(directory.resolve("without"), options, 1, without)) {
      List<Side> sides = List.of(side("with", one), side("without", other));
      warm(sides);
      List<List<Round>> rounds = List.of(new ArrayList<>(), new ArrayList<>());
      for (int i = 0; i < options.rounds(); i++) {
        for (int which : order(i)) {
          rounds.get(which).add(round(name, i + 1, sides.get(which)));
        }
      }
      for (Side side : sides) {
        figures.print("usage_intervals", Map.of(name, side.part()), intervals(side), "rows");
      }
      summary(name, rounds.get(0), rounds.get(1), goal);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Shows which process keeps the ledger.
  private static long intervals(Side side) {
    try (Connection connection = side.rig().connect();
        Statement statement = connection.createStatement();
        ResultSet count = statement.executeQuery("select count(*) from usage_interval")) {
      count.next();
      return count.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// In turns, because the clients warm up as well.
  private void warm(List<Side> sides) {
    for (int i = 0; i < WARMING_TURNS && options.warm() > 0; i++) {
      for (int which : order(i)) {
        loop(sides.get(which), Math.max(1, options.warm() / WARMING_TURNS));
        settle(sides.get(which));
      }
    }
  }

  /// The two sides, the first of them in turns.
  private static List<Integer> order(int turn) {
    return List.of(turn % 2, 1 - turn % 2);
  }

  private Side side(String part, LoadRig rig) {
    LoadBenchmark.Heard heard = new LoadBenchmark.Heard();
    rig.connectAgents(options.nodes(), heard);
    return new Side(part, rig, heard, new LoadClients(rig, 4));
  }

  private double loop(Side side, int seconds) {
    return LoadLoops.closed(
        IN_FLIGHT,
        seconds,
        client -> {
          String job = side.clients().name("cycle");
          CountDownLatch over = new CountDownLatch(1);
          side.heard().onForget(job, over::countDown);
          var _ =
              side.clients()
                  .stub(client)
                  .submitJob(LoadClients.request(Fixtures.submit(LoadRig.QUICK, job)));
          LoadLoops.await(over);
        });
  }

  /// Lets work end that goes on behind the decisions, such as the writing of spans: it counts to
  /// the round that caused it.
  ///
  /// @return seconds that it took
  private double settle(Side side) {
    long begun = System.nanoTime();
    long quietSince = begun;
    double spans = number(side, "headgate_trace_spans_written_total");
    for (int quiet = 0; quiet < QUIET_POLLS; ) {
      LoadRig.pause(POLL);
      double now = number(side, "headgate_trace_spans_written_total");
      quiet = now == spans ? quiet + 1 : 0;
      quietSince = quiet == 0 ? System.nanoTime() : quietSince;
      spans = now;
    }
    return (quietSince - begun) / 1e9;
  }

  private Round round(String name, int number, Side side) {
    double[] cpu = side.rig().cpuSeconds();
    double[] commits = commits(side);
    double spans = number(side, "headgate_trace_spans_written_total");
    double rate = loop(side, options.seconds());
    double[] committed = commits(side);
    double settled = settle(side);
    double jobs = rate * options.seconds();
    double[] now = side.rig().cpuSeconds();
    Round round =
        new Round(
            rate,
            (now[0] - cpu[0]) * 1000 / jobs,
            (now[1] - cpu[1]) * 1000 / jobs,
            (committed[0] - commits[0]) * 1000 / (committed[1] - commits[1]));
    Map<String, String> parameters = Map.of(name, side.part(), "round", Integer.toString(number));
    figures.print("life_cycles_most", parameters, round.rate(), "jobs/s");
    figures.print("life_cycle_cpu", parameters, round.cpu(), "ms");
    figures.print("life_cycle_database_cpu", parameters, round.database(), "ms");
    figures.print("commit_mean", parameters, round.commit(), "ms");
    figures.print(
        "spans_per_life_cycle",
        parameters,
        (number(side, "headgate_trace_spans_written_total") - spans) / jobs,
        "spans");
    figures.print("spans_behind", parameters, settled, "s");
    return round;
  }

  /// The medians of the pairs: noise that lasts longer than a pair leaves them alone.
  private void summary(String name, List<Round> with, List<Round> without, OptionalDouble goal) {
    List<Double> rates = new ArrayList<>();
    List<Double> cpus = new ArrayList<>();
    List<Double> databases = new ArrayList<>();
    List<Double> commits = new ArrayList<>();
    for (int i = 0; i < with.size(); i++) {
      rates.add(100 * (1 - with.get(i).rate() / without.get(i).rate()));
      cpus.add(share(with.get(i).cpu(), without.get(i).cpu()));
      databases.add(share(with.get(i).database(), without.get(i).database()));
      commits.add(share(with.get(i).commit(), without.get(i).commit()));
    }
    print(name + "_cost_life_cycles", rates, goal);
    print(name + "_share_cpu", cpus, OptionalDouble.empty());
    print(name + "_share_database_cpu", databases, OptionalDouble.empty());
    print(name + "_share_commit", commits, OptionalDouble.empty());
  }

  /// The part of the whole, in percent.
  private static double share(double with, double without) {
    return 100 * (with - without) / with;
  }

  private void print(String name, List<Double> percents, OptionalDouble goal) {
    List<Double> sorted = percents.stream().sorted().toList();
    int half = sorted.size() / 2;
    double median =
        sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    Map<String, String> parameters =
        Map.of(
            "least", "%.1f".formatted(sorted.getFirst()),
            "most", "%.1f".formatted(sorted.getLast()),
            "rounds", Integer.toString(sorted.size()));
    figures.print(name, parameters, median, "%", 0, goal);
  }

  private double[] commits(Side side) {
    return new double[] {number(side, COMMITS + "sum"), number(side, COMMITS + "count")};
  }

  /// The sum of the series of a metric; 0 if there is none.
  private double number(Side side, String metric) {
    URI scrape = URI.create("http://127.0.0.1:" + side.rig().metricsPort() + "/metrics");
    try {
      return http.send(HttpRequest.newBuilder(scrape).build(), BodyHandlers.ofString())
          .body()
          .lines()
          .filter(line -> line.startsWith(metric + "{") || line.startsWith(metric + " "))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
