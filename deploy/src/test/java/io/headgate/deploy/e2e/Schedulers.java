package io.headgate.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.headgate.deploy.Installation;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// Three scheduler processes, and what a test does to them and to their database.
final class Schedulers {
  static final Duration PATIENCE = Duration.ofMinutes(5);

  /// Longer than Hazelcast waits for a heartbeat, shorter than a lease.
  private static final Duration A_WHILE = Duration.ofSeconds(7);

  private final Installation installation;
  private final Path data;
  private final RandomGenerator random;
  private final Optional<Wires> wires;
  private final Optional<AgentProcesses> agents;

  Schedulers(Installation installation, Path data, RandomGenerator random) {
    this(installation, data, random, Optional.empty(), Optional.empty());
  }

  /// With wires between them, and agents that are processes.
  Schedulers(
      Installation installation,
      Path data,
      RandomGenerator random,
      Optional<Wires> wires,
      Optional<AgentProcesses> agents) {
    this.installation = installation;
    this.data = data;
    this.random = random;
    this.wires = wires;
    this.agents = agents;
  }

  /// Does it, once all is well.
  ///
  /// @return when it struck, in milliseconds of the wall clock
  long suffer(Fault fault) throws Exception {
    awaitWhole();
    String leader = installation.leader().orElseThrow();
    long epoch = installation.epoch();
    List<ProcessHandle> followers = new ArrayList<>();
    installation
        .schedulers()
        .forEach((name, process) -> {
          if (!name.equals(leader)) {
            followers.add(process);
          }
        });
    ProcessHandle leading = installation.schedulers().get(leader);
    ProcessHandle follower = followers.get(random.nextInt(followers.size()));
    long struckMs = System.currentTimeMillis();
    switch (fault) {
      case KILL_LEADER -> leading.destroyForcibly();
      case PAUSE_LEADER -> {
        signal("STOP", List.of(leading));
        awaitLaterThan(epoch);
        signal("CONT", List.of(leading));
      }
      case STOP_LEADER -> leading.destroy();
      case KILL_FOLLOWER -> follower.destroyForcibly();
      case PAUSE_FOLLOWER -> {
        signal("STOP", List.of(follower));
        waitAWhile();
        signal("CONT", List.of(follower));
      }
      case KILL_TWO -> {
        leading.destroyForcibly();
        follower.destroyForcibly();
      }
      case FREEZE_DATABASE -> {
        List<ProcessHandle> database = database();
        signal("STOP", database);
        waitAWhile();
        signal("CONT", database);
      }
      case KILL_DATABASE -> database().getFirst().destroyForcibly();
      case CUT_OFF_DATABASE -> {
        wires.orElseThrow().cutOffDatabase(leader);
        awaitLaterThan(epoch);
        wires.orElseThrow().mend();
      }
      case CUT_OFF_CALLERS -> {
        wires.orElseThrow().cutOffCallers(leader);
        waitAWhile();
        wires.orElseThrow().mend();
      }
      case CUT_OFF_ALL_AGENTS -> {
        wires.orElseThrow().cutOffCallers(leader);
        awaitLaterThan(epoch);
        wires.orElseThrow().mend();
      }
      case CUT_GROUP -> {
        wires.orElseThrow().cutGroup();
        waitAWhile();
        wires.orElseThrow().mend();
      }
      case KILL_AGENT -> agent().destroyForcibly();
      case PAUSE_AGENT -> {
        List<ProcessHandle> agent = List.of(agent());
        signal("STOP", agent);
        waitAWhile();
        signal("CONT", agent);
      }
    }
    return struckMs;
  }

  private ProcessHandle agent() {
    List<String> nodes = agents.orElseThrow().nodes();
    return agents.orElseThrow().process(nodes.get(random.nextInt(nodes.size())));
  }

  /// All three serve, and one leads.
  private void awaitWhole() {
    await()
        .atMost(PATIENCE)
        .until(() ->
            installation.schedulers().values().stream().allMatch(ProcessHandle::isAlive)
                && installation.schedulerUris().stream().allMatch(Schedulers::serves)
                && installation.leader().isPresent());
  }

  private static boolean serves(URI uri) {
    try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  void awaitLaterThan(long epoch) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> installation.epoch() > epoch && installation.leader().isPresent());
  }

  /// The postmaster first, then what it started.
  private List<ProcessHandle> database() {
    String directory = data.resolve("pg").toString();
    return ProcessHandle.allProcesses()
        .filter(process ->
            process
                .info()
                .commandLine()
                .filter(line -> line.contains("postgres") && line.contains(directory))
                .isPresent())
        .flatMap(postmaster -> Stream.concat(Stream.of(postmaster), postmaster.descendants()))
        .distinct()
        .toList();
  }

  private static void waitAWhile() throws InterruptedException {
    boolean never = new CountDownLatch(1).await(A_WHILE.toMillis(), TimeUnit.MILLISECONDS);
    assert !never;
  }

  static void signal(String name, List<ProcessHandle> processes)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    processes.forEach(process -> command.add(Long.toString(process.pid())));
    // A backend that has just ended is no longer there to be signalled.
    new ProcessBuilder(command).start().waitFor();
  }
}
