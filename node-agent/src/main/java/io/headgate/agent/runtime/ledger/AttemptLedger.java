package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.LeadershipHistory;
import io.headgate.agent.core.Observation;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.AttemptLock;
import io.headgate.agent.process.DurableFile;
import io.headgate.agent.process.SupervisorStatus;
import io.headgate.agent.process.Trees;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The attempts that this machine has taken on, recorded on disk before the agent acts on them.
///
/// One directory an attempt, `attempts/<tenant>.<job>.<attempt>.<worker>.<uid>`:
///
/// | file | written | means |
/// |---|---|---|
/// | `assignment` | before anything is started | taken on, in this boot |
/// | `address` | before a gang's worker is reported as prepared | where the others reach it |
/// | `slices` | before the driver is called | slices to look for and free after a crash |
/// | `refused` | under the supervisor's lock | it never ran, and no late launcher starts it |
/// | `suspending` | before anything of it is suspended | the processes that need care after a crash |
/// | `not-suspended` | when a suspension has failed | by which order; it is not tried again |
/// | `suspended` | when nothing of it is on a device any more | by which order; its slices are free |
/// | `pod` | when its pod was made | its pod, which is made once |
/// | `inside/` | before its pod is made | the directory shared with the pod; the supervisor writes only there |
/// | `status`, `logs/` | by the supervisor | state and output of the job |
/// | `output-sent` | when output was sent | how much a receiver of logs has taken |
/// | `end` | when its slices are free | over for good; never starts again |
/// | `forgotten` | when the scheduler knows | kept for its logs only |
///
/// Written by the loop and by the attempts' own threads, each its own files.
public final class AttemptLedger implements AttemptRecords, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptLedger.class);

  /// Why an attempt never runs here.
  public record Refusal(EndReason reason, String problem) {}

  /// In the data directory.
  static final String ATTEMPTS = "attempts";

  private static final String USER = "user_id";
  private static final String REFUSED = "refused";
  private static final String INSIDE = "inside";

  /// Every user may add files, and only a file's owner may remove or replace it.
  private static final int STICKY = 01777;

  private final Path data;
  private final Path attempts;
  private final String bootId;
  private final DataLock lock;
  private final RecordFiles files;
  private final DiskReserve reserve;
  private final SuspensionRecords suspensions;
  private final OutputRecords outputs;
  private final AddressRecords addresses;
  private final JobUsers users;

  private AttemptLedger(Path data, String bootId, DataLock lock, JobUsers users)
      throws IOException {
    this.users = users;
    this.data = data;
    this.attempts = data.resolve(ATTEMPTS);
    this.bootId = bootId;
    this.lock = lock;
    this.reserve = new DiskReserve(data.resolve("reserve"));
    this.files = new RecordFiles(reserve);
    this.suspensions = new SuspensionRecords(files, attempts);
    this.outputs = new OutputRecords(attempts);
    this.addresses = new AddressRecords(files, this::directory);
    reserve.write(() -> DurableFile.makeDirectory(attempts));
  }

  /// Opens the ledger below the data directory, which one agent at a time may use.
  ///
  /// @param users learns the users in use, and assigns one to each new attempt
  public static AttemptLedger open(Path data, String bootId, JobUsers users) throws IOException {
    DataLock lock = DataLock.take(data);
    try {
      return new AttemptLedger(data, bootId, lock, users);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /// The disk space reserved for this agent's records.
  public DiskReserve reserve() {
    return reserve;
  }

  /// The agent's own directory.
  public Path data() {
    return data;
  }

  /// Where the attempts' directories are.
  public Path attempts() {
    return attempts;
  }

  public Path directory(AttemptKey key) {
    return attempts.resolve(key.directoryName());
  }

  /// The directory of its supervisor: the attempt's own, or the part of it that its pod mounts.
  public Path supervised(AttemptKey key) {
    return supervised(directory(key));
  }

  private static Path supervised(Path directory) {
    Path inside = directory.resolve(INSIDE);
    return Files.isDirectory(inside, LinkOption.NOFOLLOW_LINKS) ? inside : directory;
  }

  /// Whether its pod has anything of it.
  public boolean hasInside(AttemptKey key) {
    return !supervised(key).equals(directory(key));
  }

  /// Makes the part of the attempt's directory that its pod sees. Files that the agent has put
  /// there stay the agent's, although the job may add files.
  public Path makeInside(AttemptKey key) throws IOException {
    Path inside = directory(key).resolve(INSIDE);
    DurableFile.makeDirectory(inside);
    AttemptLock.makeShared(inside);
    Files.setAttribute(inside, "unix:mode", STICKY, LinkOption.NOFOLLOW_LINKS);
    return inside;
  }

  /// The pod was made, and is not made again whatever becomes of it.
  public void recordPod(AttemptKey key, String uid) throws IOException {
    files.write(directory(key).resolve("pod"), new Fields().put("uid", uid));
    Failpoint.AFTER_POD_RECORD.reach();
  }

  /// The identity of the attempt's pod; empty: none is known to have been made.
  public Optional<String> pod(AttemptKey key) throws IOException {
    return RecordFiles.read(directory(key).resolve("pod")).map(fields -> fields.require("uid"));
  }

  public String bootId() {
    return bootId;
  }

  @Override
  public void recordLeadership(LeadershipHistory history) throws IOException {
    files.write(data.resolve("leadership"), Records.of(history));
  }

  @Override
  public void recordAssignment(Assignment assignment, long contactBootMs) throws IOException {
    reserve.write(() -> DurableFile.makeDirectory(directory(assignment.key())));
    Failpoint.BEFORE_ASSIGNMENT_RECORD.reach();
    Fields fields =
        Records.of(assignment).put("boot_id", bootId).put("contact_boot_ms", contactBootMs);
    // With the record that precedes everything, so that no crash lets two attempts be one user.
    users.take(assignment.key()).ifPresent(user -> fields.put(USER, user));
    files.write(directory(assignment.key()).resolve("assignment"), fields);
    Failpoint.AFTER_ASSIGNMENT_RECORD.reach();
  }

  /// The last contact before the attempt was taken on.
  public long contactBootMs(AttemptKey key) throws IOException {
    return RecordFiles.read(directory(key).resolve("assignment"))
        .orElseThrow()
        .number("contact_boot_ms");
  }

  /// The attempt's user; empty: all were taken, or an older agent recorded the attempt.
  public OptionalInt user(AttemptKey key) throws IOException {
    Fields fields = RecordFiles.read(directory(key).resolve("assignment")).orElseThrow();
    return fields.find(USER).isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of((int) fields.number(USER));
  }

  /// Where the workers of gangs are reached.
  public AddressRecords addresses() {
    return addresses;
  }

  public void recordSlices(AttemptKey key, List<SlicePlan> plans) throws IOException {
    files.write(directory(key).resolve("slices"), Records.of(plans));
    Failpoint.AFTER_SLICE_RECORD.reach();
  }

  public List<SlicePlan> slices(AttemptKey key) throws IOException {
    return RecordFiles.read(directory(key).resolve("slices"))
        .map(fields -> Records.plans(fields, key))
        .orElse(List.of());
  }

  /// Slices of attempts of this boot that have not ended.
  public List<SlicePlan> slices(Input.Recovered recovered) throws IOException {
    List<SlicePlan> plans = new ArrayList<>();
    for (AttemptKey key : live(recovered)) {
      plans.addAll(slices(key));
    }
    return plans;
  }

  /// Attempts of this boot that have not ended.
  public static List<AttemptKey> live(Input.Recovered recovered) {
    return recovered.attempts().stream()
        .filter(found -> found.end().isEmpty() && found.sameBoot())
        .map(Input.Found::key)
        .toList();
  }

  /// Gives up an attempt that never ran: no launcher, however late, starts it from then on.
  ///
  /// @return false: a supervisor has it or had it, and nothing was recorded
  public boolean recordRefusal(AttemptKey key, Refusal refusal) throws IOException {
    Path supervised = supervised(key);
    Path record = directory(key).resolve(REFUSED);
    return AttemptLock.runIfFree(
        supervised,
        () -> {
          if (SupervisorStatus.read(supervised).isPresent()) {
            return false;
          }
          Fields fields = new Fields().put("end", refusal.reason()).put("error", refusal.problem());
          if (!record.startsWith(supervised)) {
            // The supervisor looks for this file; only the record decides whether the attempt was
            // refused.
            files.write(supervised.resolve(REFUSED), new Fields());
          }
          files.write(record, fields);
          return true;
        });
  }

  /// Why the attempt was given up before it ran; empty: it was not.
  public Optional<Refusal> refusal(AttemptKey key) throws IOException {
    return RecordFiles.read(directory(key).resolve(REFUSED))
        .map(fields ->
            new Refusal(fields.constant("end", EndReason.class), fields.require("error")));
  }

  /// The records of suspensions.
  public SuspensionRecords suspensions() {
    return suspensions;
  }

  /// The records of output that was sent.
  public OutputRecords outputs() {
    return outputs;
  }

  @Override
  public void recordSuspension(AttemptKey key, long suspension) throws IOException {
    suspensions.record(key, suspension);
    Failpoint.AFTER_SUSPENSION_RECORD.reach();
  }

  @Override
  public void recordResumption(AttemptKey key) throws IOException {
    suspensions.remove(key);
    Failpoint.AFTER_RESUMPTION_RECORD.reach();
  }

  /// The attempt is over. Its environment may hold secrets and is deleted.
  @Override
  public void recordEnd(AttemptReport report) throws IOException {
    Failpoint.BEFORE_END_RECORD.reach();
    Path directory = directory(report.key());
    reserve.write(() -> DurableFile.makeDirectory(directory));
    files.write(directory.resolve("end"), Records.of(report));
    Failpoint.AFTER_END_RECORD.reach();
    users.free(report.key());
    deleteSecrets(directory);
    // With the attempt its temporary files have gone, so there may be room again.
    reserve.refill();
  }

  private static void deleteSecrets(Path directory) throws IOException {
    for (String secret : List.of("assignment", "env", "argv", "callback")) {
      Files.deleteIfExists(directory.resolve(secret));
      // A pod's job may have made a directory of one that was not there.
      Trees.delete(supervised(directory).resolve(secret));
    }
  }

  /// The scheduler no longer needs the record; only the logs are of use now.
  @Override
  public void forget(AttemptKey key) throws IOException {
    Path directory = directory(key);
    if (Files.isDirectory(supervised(directory).resolve("logs"))) {
      files.write(directory.resolve("forgotten"), new Fields());
    } else {
      Trees.delete(directory);
    }
  }

  /// Everything that this machine has a record of.
  @Override
  public Input.Recovered recover(Instant now) throws IOException {
    LeadershipHistory history =
        RecordFiles.read(data.resolve("leadership"))
            .map(Records::leadership)
            .orElse(LeadershipHistory.NONE);
    List<Input.Found> found = new ArrayList<>();
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(attempts)) {
      for (Path directory : directories) {
        if (!Files.exists(directory.resolve("forgotten"))) {
          find(directory, now).ifPresent(found::add);
        }
      }
    }
    return new Input.Recovered(history, found);
  }

  /// Directories of forgotten attempts, the longest forgotten first.
  List<Path> forgotten() throws IOException {
    record Aged(Path directory, Instant since) {}
    List<Aged> aged = new ArrayList<>();
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(attempts)) {
      for (Path directory : directories) {
        Path mark = directory.resolve("forgotten");
        if (Files.exists(mark)) {
          aged.add(new Aged(directory, Files.getLastModifiedTime(mark).toInstant()));
        }
      }
    }
    return aged.stream()
        .sorted((a, b) -> a.since().compareTo(b.since()))
        .map(Aged::directory)
        .toList();
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }

  /// A pod's job may have put anything in its place, and no job keeps an agent from its start.
  private static Optional<Observation> lastSeen(Path supervised) {
    try {
      return SupervisorStatus.read(supervised).map(SupervisorStatus::observation);
    } catch (IOException e) {
      LOG.warn("it is unknown how the attempt in {} ended: {}", supervised, e.getMessage());
      return Optional.empty();
    }
  }

  private Optional<Input.Found> find(Path directory, Instant now) throws IOException {
    Optional<Fields> end = RecordFiles.read(directory.resolve("end"));
    if (end.isPresent()) {
      // A crash may have come between the two.
      deleteSecrets(directory);
      AttemptReport report = RecordFiles.decode(directory, () -> Records.report(end.get()));
      return Optional.of(
          new Input.Found(
              report.key(), Optional.empty(), true, 0, Optional.of(report), Optional.empty(), now));
    }
    Optional<Fields> taken = RecordFiles.read(directory.resolve("assignment"));
    if (taken.isEmpty()) {
      // The agent was killed before the assignment was recorded: no process was started or
      // reported.
      Trees.delete(directory);
      return Optional.empty();
    }
    Assignment assignment = RecordFiles.decode(directory, () -> Records.assignment(taken.get()));
    boolean sameBoot = taken.get().require("boot_id").equals(bootId);
    if (taken.get().find(USER).isPresent()) {
      users.found(assignment.key(), (int) taken.get().number(USER));
    }
    Optional<Observation> lastSeen =
        sameBoot && suspensions.suspending(assignment.key()).isEmpty()
            ? Optional.empty()
            : lastSeen(supervised(directory));
    return Optional.of(
        new Input.Found(
            assignment.key(),
            Optional.of(assignment),
            sameBoot,
            suspensions.order(assignment.key()),
            Optional.empty(),
            lastSeen,
            now));
  }
}
