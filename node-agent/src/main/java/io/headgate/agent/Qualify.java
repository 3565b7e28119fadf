package io.headgate.agent;

import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.process.Trees;
import io.headgate.agent.qualify.Finding.Verdict;
import io.headgate.agent.qualify.Probe;
import io.headgate.agent.qualify.Qualification;
import io.headgate.agent.qualify.Report;
import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `headgate-agent qualify`: shows on a machine with a GPU what of Headgate's promises hold there.
///
/// It changes no mode, resets nothing, and leaves the GPU as it was, also when it is interrupted.
final class Qualify {
  static final String COMMAND = "qualify";

  static final String USAGE =
      """
      headgate-agent qualify [--config FILE] [--gpu N] [--json FILE] [--although-in-use]
                             [--directory DIR] [--cuda LIBRARY] [--nvidia-smi PROGRAM]

      Experiments with one NVIDIA GPU of this machine (0, or N), for a few minutes, and says what
      holds, what does not, and what could not be shown. To be run as root, while nothing else
      uses the GPU. --config is the agent's.

      Exit status: 0 what was shown holds, 1 something does not hold, 3 nothing was shown, 64 wrong
      arguments, 75 the GPU is in use.
      """;

  /// Internal: starts the agent that is killed, followed by the words of its job.
  private static final String AGENT_FOR = "--agent-for";

  static final int EXIT_HOLDS = 0;
  static final int EXIT_FAILED = 1;

  /// No experiment showed anything: a script must not take that for a GPU that keeps its promises.
  static final int EXIT_NOTHING_SHOWN = 3;

  static final int EXIT_USAGE = 64;
  static final int EXIT_IN_USE = 75;
  private static final int EXIT_INTERRUPTED = 130;

  private static final Logger LOG = LoggerFactory.getLogger(Qualify.class);
  private static final Duration STOP_BOUND = Duration.ofSeconds(90);
  private static final Path USUAL_PARENT = Path.of("/var/lib");

  /// The parsed command line.
  ///
  /// @param agentFor the directory of the process that wants a job of its own to be started here
  /// @param job of that: name, part and words of the probe
  private record Options(
      Optional<Path> config,
      int gpu,
      Optional<Path> json,
      boolean inUse,
      Optional<Path> directory,
      String cuda,
      String nvidiaSmi,
      Optional<Path> agentFor,
      List<String> job) {}

  private final Map<String, String> environment;
  private final PrintStream output;
  private final TimeSource time = TimeSource.system();

  /// @param output for the findings
  Qualify(Map<String, String> environment, PrintStream output) {
    this.environment = environment;
    this.output = output;
  }

  /// Does it; the exit status.
  int run(List<String> words) throws InterruptedException {
    Options options;
    try {
      options = options(words);
    } catch (IllegalArgumentException e) {
      output.print(e.getMessage() + "\n" + USAGE);
      return EXIT_USAGE;
    }
    try {
      return options.agentFor().isPresent() ? crash(options) : experiment(options, words);
    } catch (ConfigException | IllegalArgumentException e) {
      output.println(e.getMessage());
      return EXIT_USAGE;
    } catch (IOException | UncheckedIOException e) {
      output.println("the qualification stopped early: " + e.getMessage());
      return EXIT_FAILED;
    }
  }

  private static Options options(List<String> words) {
    Map<String, String> given = new HashMap<>();
    List<String> job = List.of();
    boolean inUse = false;
    for (int i = 0; i < words.size(); i++) {
      String flag = words.get(i);
      switch (flag) {
        case "--although-in-use" -> inUse = true;
        case "--config", "--gpu", "--json", "--directory", "--cuda", "--nvidia-smi", AGENT_FOR -> {
          if (++i == words.size()) {
            throw new IllegalArgumentException(flag + " needs a value");
          }
          given.put(flag, words.get(i));
        }
        default -> {
          if (!given.containsKey(AGENT_FOR)) {
            throw new IllegalArgumentException("unknown flag " + flag);
          }
          job = words.subList(i, words.size());
          i = words.size();
        }
      }
    }
    String gpu = given.getOrDefault("--gpu", "0");
    if (!gpu.matches("[0-9]{1,3}")) {
      throw new IllegalArgumentException("--gpu " + gpu + " is not a GPU's number; count from 0");
    }
    return new Options(
        path(given, "--config"),
        Integer.parseInt(gpu),
        path(given, "--json"),
        inUse,
        path(given, "--directory"),
        given.getOrDefault("--cuda", "libcuda.so.1"),
        given.getOrDefault("--nvidia-smi", "nvidia-smi"),
        path(given, AGENT_FOR),
        job);
  }

  private static Optional<Path> path(Map<String, String> given, String flag) {
    return Optional.ofNullable(given.get(flag)).map(Path::of).map(Path::toAbsolutePath);
  }

  private int experiment(Options options, List<String> words)
      throws IOException, InterruptedException {
    if (!options.inUse() && !agents().isEmpty()) {
      return inUse("this machine's GPUs are managed by " + String.join(", ", agents()));
    }
    Lifecycle lifecycle = new Lifecycle(STOP_BOUND);
    lifecycle.stopOnSignal();
    try (lifecycle) {
      Path directory = makeDirectory(options);
      lifecycle.own("directory", () -> Trees.delete(directory));
      Qualification qualification = new Qualification(options.nvidiaSmi(), time);
      Map<String, String> machine = new LinkedHashMap<>();
      machine.put("agent", NodeAgent.version());
      machine.put("at", time.instant().toString());
      machine.put("kernel", System.getProperty("os.version", ""));
      AgentBench bench;
      try {
        bench = lifecycle.own("bench", new AgentBench(settings(options, directory, words), time));
      } catch (GpuUnavailableException e) {
        Report report = qualification.without(String.valueOf(e.getMessage()), machine);
        return tell(options, report, "no GPU");
      }
      List<String> strangers = bench.strangers();
      if (!options.inUse() && !strangers.isEmpty()) {
        return inUse("GPU %d is in use: %s".formatted(options.gpu(), String.join(", ", strangers)));
      }
      machine.put("driver", bench.driver().description());
      machine.put("GPU", bench.gpu().index() + " " + bench.gpu().model());
      machine.put("UUID", bench.gpu().uuid());
      Optional<String> noProbe = Optional.empty();
      try {
        machine.put("probe", Probe.in(probes(directory)).origin());
      } catch (IOException e) {
        noProbe = Optional.of(String.valueOf(e.getMessage()));
      }
      Report report = qualification.run(bench, noProbe, machine, name -> LOG.info("{} …", name));
      // A failure after an interrupt proves nothing.
      return lifecycle.isStopping() ? EXIT_INTERRUPTED : tell(options, report, "each says why");
    }
  }

  private int inUse(String what) {
    output.println(what + "; stop that first, or give --although-in-use");
    return EXIT_IN_USE;
  }

  /// @param whyNothing follows the number of shown experiments if that is 0
  private int tell(Options options, Report report, String whyNothing) throws IOException {
    output.print(report.table());
    int all = report.results().size();
    boolean nothing = report.with(Verdict.NOT_SHOWN).size() == all;
    if (nothing) {
      output.println("0 of %d shown: %s".formatted(all, whyNothing));
    }
    if (options.json().isPresent()) {
      Files.writeString(options.json().get(), report.json());
    } else {
      output.print("\n" + report.json());
    }
    if (nothing) {
      return EXIT_NOTHING_SHOWN;
    }
    return report.with(Verdict.FAILED).isEmpty() ? EXIT_HOLDS : EXIT_FAILED;
  }

  /// Runs the agent that gets killed. If no other process kills it, it ends after [#STOP_BOUND].
  private int crash(Options options) throws IOException, InterruptedException {
    Path directory = options.agentFor().orElseThrow();
    List<String> job = options.job();
    try (AgentBench bench =
        new AgentBench(settings(options, directory, List.of()).ofAnother(), time)) {
      bench.start(
          job.get(0),
          Integer.parseInt(job.get(1)),
          job.subList(2, job.size()).toArray(String[]::new));
      var _ = new CountDownLatch(1).await(STOP_BOUND.toSeconds(), TimeUnit.SECONDS);
    }
    return EXIT_FAILED;
  }

  private AgentBench.Settings settings(Options options, Path directory, List<String> words) {
    List<String> another = new ArrayList<>(thisProgram());
    another.addAll(words);
    another.addAll(List.of(AGENT_FOR, directory.toString()));
    return new AgentBench.Settings(
        config(options, directory, "agent"),
        config(options, directory, "killed"),
        probes(directory).resolve(Probe.PROGRAM),
        options.cuda(),
        options.gpu(),
        another);
  }

  /// The operator's configuration, without settings that would change more than the experiments
  /// show.
  private AgentConfig config(Options options, Path directory, String name) {
    Path data = directory.resolve(name);
    Map<String, String> variables = new HashMap<>(environment);
    variables.put("HEADGATE_AGENT_DATA", data.toString());
    AgentConfig own =
        ConfigLoader.load(AgentMain.Config.class, options.config(), variables).agent();
    GpuConfig gpu = own.gpu();
    GpuConfig.Mps mps = gpu.mps();
    List<Path> shared = new ArrayList<>(own.walls().shared());
    shared.add(probes(directory));
    return AgentConfig.of(data, COMMAND, own.server())
        .withWalls(own.walls().withShared(shared))
        .withGpus(
            new GpuConfig(
                GpuConfig.Driver.NVML,
                gpu.nvml(),
                gpu.rocm(),
                GpuConfig.Mig.DEFAULTS,
                new GpuConfig.Mps(
                    GpuConfig.Mps.Use.AUTO,
                    mps.protocol(),
                    mps.control(),
                    mps.directory(),
                    mps.timeout(),
                    mps.reserve(),
                    mps.compute()),
                gpu.watchdog(),
                gpu.health()));
  }

  private static Path probes(Path directory) {
    return directory.resolve("probe");
  }

  /// Where programs may lie and all users may go.
  private static Path makeDirectory(Options options) throws IOException {
    Path parent =
        options
            .directory()
            .orElseGet(() ->
                Files.isWritable(USUAL_PARENT)
                    ? USUAL_PARENT
                    : Path.of(System.getProperty("java.io.tmpdir")));
    Path directory = Files.createTempDirectory(parent, "headgate-qualify-");
    for (Path open : List.of(directory, Files.createDirectory(probes(directory)))) {
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return directory;
  }

  /// Agents on this machine that may give the same GPUs away.
  private static List<String> agents() {
    String main = AgentMain.class.getName();
    return ProcessHandle.allProcesses()
        .flatMap(process ->
            process
                .info()
                .commandLine()
                .filter(line -> line.contains(main) && !line.contains(main + " " + COMMAND))
                .map(line ->
                    "the agent %d (%s)"
                        .formatted(
                            process.pid(),
                            line.substring(line.indexOf(main) + main.length()).strip()))
                .stream())
        .toList();
  }

  /// The command that starts this program anew, up to its own words.
  private static List<String> thisProgram() {
    Stream<String> flags =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(flag ->
                flag.startsWith("-Djna.")
                    || flag.startsWith("--enable-native-access")
                    || flag.startsWith("-X"));
    return Stream.of(
            Stream.of(ProcessHandle.current().info().command().orElse("java")),
            flags,
            Stream.of(
                "-cp", System.getProperty("java.class.path"), AgentMain.class.getName(), COMMAND))
        .flatMap(part -> part)
        .toList();
  }
}
