package io.headgate.scheduler;

import com.google.common.collect.Iterables;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.Stop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// Load from outside on a whole scheduler process. It uses real gRPC, a PostgreSQL that keeps
/// everything it acknowledges, and agents that speak the real protocol but run no program. Prints
/// each figure as one line of JSON.
///
/// Arguments, each `name=value` (default after the semicolon):
/// - `rows`: comma-separated names of measurements; all
/// - `waiting`: jobs that wait meanwhile; 0
/// - `nodes`: of 8 GPUs; 125
/// - `seconds`: of each round of load; 10
/// - `rates`: life cycles per second; 100,500,1000
/// - `batch`: jobs submitted together in life cycles; 1
/// - `warm`: seconds of mixed load before the first measurement, because a new process is slow; 0
/// - `profile`: file for the last scheduler's flight recording, in `takeover` the successor's; none
/// - `heap`: of each scheduler; 4g
/// - `kills`: how often `takeover` measures, or `durable` kills a process; 1
/// - `standby`: seconds that a successor has stood by, since leaders die seldom; 60
/// - `addresses`: that the programs of `flood` come from; 1
/// - `apart`: whether the programs of `flood` take only processor time that is left; false
/// - `rounds`: pairs of rounds of `same`, `traces` and `ledger`; 6
/// - `otlp`: whether the schedulers export to a receiver, which throws all away; false
/// - `jvm`: further flags of the schedulers' JVMs, comma-separated; none
public final class LoadBenchmark {
  /// The names of all measurements, in their order. `takeover` is last because it ends the leader.
  private static final List<String> ROWS =
      List.of(
          "ack",
          "assign",
          "submit",
          "unary",
          "batch",
          "list",
          "top",
          "lifecycle",
          "preempt",
          "overload",
          "agents",
          "durable",
          "takeover");

  /// Measurements that are made only when they are named: they need a small heap and the usual
  /// bounds.
  static final List<String> ATTACKS = List.of("flood", "attack", "usage");

  /// Comparisons, made only when they are named: they start other schedulers.
  private static final List<String> COMPARISONS = List.of("same", "traces", "ledger");

  private LoadBenchmark() {}

  /// The options of this run.
  record Options(
      List<String> rows,
      int waiting,
      int nodes,
      int seconds,
      List<Integer> rates,
      int batch,
      int warm,
      String profile,
      String heap,
      int kills,
      int standby,
      boolean isApart,
      int addresses,
      int rounds,
      boolean exports,
      List<String> jvm) {
    static Options parse(String[] arguments) {
      Map<String, String> given = new HashMap<>();
      for (String argument : arguments) {
        String[] parts = argument.split("=", 2);
        given.put(parts[0], parts.length == 2 ? parts[1] : "");
      }
      TreeSet<String> unknown = new TreeSet<>(given.keySet());
      unknown.removeAll(
          List.of(
              "rows",
              "waiting",
              "nodes",
              "seconds",
              "rates",
              "batch",
              "warm",
              "profile",
              "heap",
              "kills",
              "standby",
              "apart",
              "addresses",
              "rounds",
              "otlp",
              "jvm"));
      if (!unknown.isEmpty()) {
        throw new IllegalArgumentException(
            "rows, waiting, nodes, seconds, rates, batch, warm, profile, heap, kills, standby, apart,"
                + " addresses, rounds, otlp and jvm can be said,"
                + " not "
                + unknown);
      }
      List<String> rows =
          Arrays.asList(given.getOrDefault("rows", String.join(",", ROWS)).split(","));
      if (!rows.stream()
          .allMatch(
              row -> ROWS.contains(row) || ATTACKS.contains(row) || COMPARISONS.contains(row))) {
        throw new IllegalArgumentException(
            "rows: some of %s, %s or %s, not %s".formatted(ROWS, ATTACKS, COMPARISONS, rows));
      }
      if (rows.stream().anyMatch(COMPARISONS::contains) && !COMPARISONS.containsAll(rows)) {
        throw new IllegalArgumentException(
            "rows: %s are measured without others, not %s".formatted(COMPARISONS, rows));
      }
      return new Options(
          rows,
          number(given, "waiting", 0),
          number(given, "nodes", 125),
          number(given, "seconds", 10),
          Arrays.stream(given.getOrDefault("rates", "100,500,1000").split(","))
              .map(Integer::valueOf)
              .toList(),
          number(given, "batch", 1),
          number(given, "warm", 0),
          given.getOrDefault("profile", ""),
          given.getOrDefault("heap", "4g"),
          number(given, "kills", 1),
          number(given, "standby", 60),
          Boolean.parseBoolean(given.get("apart")),
          number(given, "addresses", 1),
          number(given, "rounds", 6),
          Boolean.parseBoolean(given.get("otlp")),
          Arrays.stream(given.getOrDefault("jvm", "").split(","))
              .filter(flag -> !flag.isEmpty())
              .toList());
    }

    private static int number(Map<String, String> given, String name, int usual) {
      return Integer.parseInt(given.getOrDefault(name, Integer.toString(usual)).replace("_", ""));
    }
  }

  /// Callbacks that wait for news of a job, by the job's resource name.
  static final class Heard implements LoadAgent.Listener {
    private final Map<String, Consumer<Long>> assigns = new ConcurrentHashMap<>();
    private final Map<String, Runnable> forgets = new ConcurrentHashMap<>();
    private volatile Consumer<Long> stops = _ -> {};
    private volatile Consumer<Long> answers = _ -> {};

    /// @param then told the nanosecond
    void onAssign(String job, Consumer<Long> then) {
      assigns.put(Fixtures.ACME + "/jobs/" + job, then);
    }

    /// @param then run when an agent is told that the job is over and durable
    void onForget(String job, Runnable then) {
      forgets.put(Fixtures.ACME + "/jobs/" + job, then);
    }

    void onStop(Consumer<Long> then) {
      stops = then;
    }

    /// @param then told how many nanoseconds each answer to a heartbeat took
    void onAnswer(Consumer<Long> then) {
      answers = then;
    }

    @Override
    public void answered(long nanos) {
      answers.accept(nanos);
    }

    @Override
    public void forgot(String job) {
      Runnable waiting = forgets.remove(job);
      if (waiting != null) {
        waiting.run();
      }
    }

    @Override
    public void assigned(Assign assign) {
      long now = System.nanoTime();
      Consumer<Long> waiting = assigns.remove(assign.getJob());
      if (waiting != null) {
        waiting.accept(now);
      }
    }

    @Override
    public void stopped(Stop stop) {
      stops.accept(System.nanoTime());
    }
  }

  public static void main(String[] arguments) throws IOException {
    Options options = Options.parse(arguments);
    Path directory = Files.createTempDirectory("headgate-load");
    if (COMPARISONS.containsAll(options.rows())) {
      compare(directory, options);
    } else {
      measure(directory, options);
    }
    delete(directory);
    // Exits without waiting for the threads of clients that are still closing.
    System.exit(0);
  }

  private static void compare(Path directory, Options options) throws IOException {
    LoadFigures figures =
        new LoadFigures(options, new LoadCalibration(0, 0, 0), LoadBenchmark::print);
    for (String row : options.rows()) {
      LoadComparison comparison = new LoadComparison(directory.resolve(row), options, figures);
      switch (row) {
        case "same" ->
            comparison.measure(
                "same", LoadRig.Variant.USUAL, LoadRig.Variant.USUAL, OptionalDouble.empty());
        case "traces" ->
            comparison.measure(
                "traces", LoadRig.Variant.EXPORTING, LoadRig.Variant.USUAL, OptionalDouble.of(5));
        case "ledger" ->
            comparison.measure(
                "ledger",
                LoadRig.Variant.USUAL,
                LoadRig.Variant.WITHOUT_LEDGER,
                OptionalDouble.empty());
        default -> throw new IllegalArgumentException(row);
      }
    }
  }

  private static void measure(Path directory, Options options) throws IOException {
    boolean takesOver = options.rows().contains("takeover") || options.rows().contains("durable");
    try (LoadRig rig = new LoadRig(directory, options, takesOver ? 2 : 1)) {
      LoadCalibration machine = LoadCalibration.measure(rig.postgres());
      Heard heard = new Heard();
      rig.connectAgents(options.nodes(), heard);
      LoadRows rows =
          new LoadRows(
              rig, options, new LoadFigures(options, machine, LoadBenchmark::print), heard);
      rows.calibration();
      rows.prepare();
      for (String row : Iterables.concat(ATTACKS, ROWS)) {
        if (options.rows().contains(row)) {
          rows.measure(row);
        }
      }
    }
  }

  private static void print(LoadFigure figure) {
    System.out.println(figure.json());
  }

  private static void delete(Path directory) throws IOException {
    try (var paths = Files.walk(directory)) {
      paths
          .sorted((one, other) -> other.compareTo(one))
          .forEach(path -> {
            try {
              Files.delete(path);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
