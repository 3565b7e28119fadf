package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.Installation;
import io.headgate.deploy.InstallationConfig;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.ServerAddress;
import io.headgate.sdk.model.Submission;
import io.headgate.sdk.model.Usage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Three schedulers, two agents and PostgreSQL, each a process, and a stream of jobs. Faults kill
/// the processes, pause them and cut them off from each other.
final class FaultSequence {
  private static final Logger LOG = LoggerFactory.getLogger(FaultSequence.class);

  /// Limit of the one policy: fewer GPUs than exist.
  private static final int LIMIT = 3;

  private final Path directory;
  private final Random random;
  private final Network network;
  private final Path data;
  private final DatabaseDisk disk;
  private final Clocks clocks;
  private TestInstallation headgate;
  private AgentProcesses agents;
  private Schedulers schedulers;
  private HeadgateClient client;
  private JobStream stream;
  private EventWitness events;
  private Pace pace;
  private final FaultTimes times = new FaultTimes();

  private FaultSequence(Path directory, long seed, Network network) throws Exception {
    this.directory = directory;
    this.random = new Random(seed);
    this.network = network;
    this.data = directory.resolve("data");
    this.disk = new DatabaseDisk(data);
    this.clocks = Clocks.in(directory.resolve("clocks"));
  }

  /// Starts all of it.
  ///
  /// @param network that faults break; it ends with the sequence
  static FaultSequence start(Path directory, long seed, Network network) throws Exception {
    FaultSequence sequence = new FaultSequence(directory, seed, network);
    sequence.start();
    return sequence;
  }

  private void start() throws Exception {
    headgate =
        TestInstallation.start(
                InstallationConfig.of(data, 0).withSchedulers(3).withSettings(this::settings))
            .withConfiguration(
                """
                groups: [{name: team, users: [ada]}]
                pools: [{name: local, type: static}]
                profiles: [{name: one, gpus: 1, pools: [local]}]
                policies:
                  - name: team
                    group: team
                    reservation: 3
                    limit: 3
                    stopAfter: 20s
                    queues: [{name: one, profile: one}]
                """);
    Installation installation = headgate.installation();
    agents =
        new AgentProcesses(
            network.services(installation.uri()),
            network.addresses(),
            Files.createDirectories(directory.resolve("agents")),
            List.of(directory.resolve("runs"), directory.resolve("beats")),
            this::agentSettings);
    agents.add(headgate.operator(), "a-0", "local", "2xA100");
    agents.add(headgate.operator(), "a-1", "local", "2xA100");
    schedulers =
        new Schedulers(
            installation,
            data,
            random,
            Optional.of(new Schedulers.Surroundings(network, agents, clocks, disk)));
    // A slow machine may need long to start a process again; calls must not give up meanwhile.
    client =
        HeadgateClient.connect(
            ClientConfig.of(
                    ServerAddress.parse(installation.uri().toString()),
                    new Credentials.Key(installation.adminKey().reveal()))
                .withDeadline(Schedulers.PATIENCE)
                .withPatience(Schedulers.PATIENCE)
                .withResumeFor(Schedulers.PATIENCE));
    events = new EventWitness(client.jobs(TestInstallation.TENANT));
    stream =
        new JobStream(client.jobs(TestInstallation.TENANT), "one", directory.resolve("runs"))
            .start();
  }

  /// Ends all of it.
  void end() throws Exception {
    network.mend();
    stream.end();
    events.end();
    client.close();
    agents.end();
    headgate.close();
    network.close();
    disk.unmount();
  }

  private Map<String, String> settings(Map<String, String> told) {
    Map<String, String> changed = new HashMap<>(network.ofScheduler(told));
    // The shortest allowed value, so that a test can wait for it.
    changed.put("HEADGATE_SCHEDULER_LEADING_STOP_MARGIN", "10s");
    return withClock(changed, told.get("HEADGATE_SCHEDULER_REPLICA"));
  }

  private Map<String, String> agentSettings(String node) {
    return withClock(new HashMap<>(network.ofAgent(node)), node);
  }

  /// The clock and the network may each have a library to load.
  private Map<String, String> withClock(Map<String, String> variables, String process) {
    clocks
        .of(process)
        .forEach((name, value) ->
            variables.merge(
                name,
                value,
                (before, added) -> {
                  if (!name.equals("LD_PRELOAD")) {
                    throw new IllegalStateException("two values for " + name);
                  }
                  return before + ":" + added;
                }));
    return variables;
  }

  /// The processes of agents.
  AgentProcesses agents() {
    return agents;
  }

  private void suffer(Fault fault) throws Exception {
    pace.measure();
    long epoch = schedulers.epoch();
    LOG.info("{} ...", fault);
    Schedulers.Struck struck = schedulers.suffer(fault);
    String id = fault.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + stream.size();
    long beganMs = stream.runOne(id);
    if (fault.leading() == Fault.Leading.CHANGES) {
      schedulers.awaitLaterThan(epoch);
    }
    long then = schedulers.epoch();
    LOG.info(
        "{}: epoch {} -> {}, a job submitted then began {} ms after it struck",
        fault,
        epoch,
        then,
        beganMs - struck.atMs());
    times.note(fault, beganMs - struck.atMs());
    pace.check(fault, fault.promise(), beganMs - struck.countsFromMs(fault));
    assertThat(then).as("epochs only rise").isGreaterThanOrEqualTo(epoch);
    if (fault.leading() == Fault.Leading.STAYS) {
      String said = schedulers.saidOfLeading();
      assertThat(then)
          .as(() -> "%s deposes nobody; the logs say:%s".formatted(fault, said))
          .isEqualTo(epoch);
    }
  }

  private void check() throws Exception {
    stream.check();
    assertThat(headgate.used("team")).isEqualTo("0");
    int port = headgate.installation().postgresPort();
    DatabaseCheck.check(data, port, LIMIT);
    events.check(DatabaseCheck.events(data, port));
    ProcessLogs.checkErrors(data.resolve("schedulers"));
    ProcessLogs.checkErrors(directory.resolve("agents"));
    ProcessLogs.checkEpochs(directory.resolve("agents"));
  }

  /// Each kind of fault that the network can suffer, once, in random order; further faults, if
  /// asked for, are random. Named kinds come by turns.
  void survives() throws Exception {
    List<Fault> kinds =
        new ArrayList<>(Arrays.stream(Fault.values()).filter(network::canSuffer).toList());
    if (!disk.isMounted() && kinds.remove(Fault.FILL_DISK)) {
      LOG.warn("without {}: no file system can be mounted here", Fault.FILL_DISK);
    }
    Collections.shuffle(kinds, random);
    String told = System.getProperty("headgate.kinds", "");
    if (!told.isEmpty()) {
      kinds = Arrays.stream(told.split(",")).map(Fault::valueOf).toList();
    }
    int count = Integer.getInteger("headgate.faults", kinds.size());
    pace = Pace.of(stream);
    for (int i = 0; i < count; i++) {
      boolean byTurns = i < kinds.size() || !told.isEmpty();
      suffer(kinds.get(byTurns ? i % kinds.size() : random.nextInt(kinds.size())));
    }
    LOG.info("seconds from the strike until a job began:");
    times.table().lines().forEach(LOG::info);
    check();
    pace.demandShown();
  }

  /// Keeps an agent from reporting, until it is over.
  interface Outage {
    /// @param node of the agent
    /// @return ends it
    Over begin(String node) throws Exception;

    /// The end of an outage.
    interface Over {
      void end() throws Exception;
    }
  }

  /// The agent's supervisors end the job there, and only then does it run elsewhere. Reports of the
  /// agent after its outage change nothing.
  void runsElsewhereWhatAnAgentCannotReport(Outage outage) throws Exception {
    stream.end();
    Path beats = directory.resolve("beats");
    JobStream.openToAll(beats);
    JobClient jobs = client.jobs(TestInstallation.TENANT);
    String script =
        """
        while [ ! -e "$0/go" ]; do date +%s%N >> "$0/$HEADGATE_ATTEMPT"; sleep 0.1; done
        """;
    jobs.submit(
        new Submission(
            JobSpec.of("one", List.of("sh", "-c", script, beats.toString())), "survivor", null));
    headgate.awaitState("survivor", JobState.RUNNING);
    String node =
        headgate.operator().catalog(TestInstallation.TENANT).nodeUsages().stream()
            .filter(usage -> usage.jobs().contains("survivor"))
            .map(Usage.OfNode::id)
            .findFirst()
            .orElseThrow();
    Outage.Over over = outage.begin(node);
    headgate.await(
        "survivor",
        "its second attempt",
        job -> job.attempt() == 2 && job.state() == JobState.RUNNING);
    over.end();
    AgentProcesses.awaitConnected(headgate.operator(), node);
    Files.createFile(beats.resolve("go"));
    Job ended = headgate.awaitState("survivor", JobState.DONE);
    assertThat(ended.attempt()).isEqualTo(2);
    List<String> first = Files.readAllLines(beats.resolve("1"));
    List<String> second = Files.readAllLines(beats.resolve("2"));
    assertThat(Long.parseLong(first.getLast()))
        .as("the last sign of the first attempt")
        .isLessThan(Long.parseLong(second.getFirst()));
    DatabaseCheck.check(data, headgate.installation().postgresPort(), LIMIT);
  }
}
