package io.headgate.agent.runtime.output;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.process.AttemptLogs.Stream;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import io.headgate.agent.runtime.ledger.SentOutput;
import io.headgate.agent.runtime.watch.PeriodicTask;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the output of attempts line by line to a receiver of logs.
///
/// The kept files are the queue: an attempt prints into them at its own speed, and what the
/// receiver has taken is recorded beside them. So nothing waits for the receiver, nothing is kept
/// in memory, and the next agent goes on where this one stopped. If the files are rotated before
/// the receiver took them, their bytes are dropped and counted. Thread-safe.
public final class OutputExport implements AutoCloseable {
  /// Parts of one stream of one attempt that are sent in a row.
  private static final int MOST_PARTS = 16;

  /// Readings that may fail in a row of an attempt that has ended.
  private static final int MOST_UNREADABLE = 10;

  private static final Logger LOG = LoggerFactory.getLogger(OutputExport.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration LAST_WAIT = Duration.ofMinutes(1);

  /// The time for the last lines at the end of the agent.
  private static final Duration PARTING = Duration.ofSeconds(2);

  private final AttemptLedger ledger;
  private final OutputReceiver receiver;
  private final TimeSource time;
  private final PeriodicTask looks = new PeriodicTask();
  private final ReentrantLock lock = new ReentrantLock();

  /// Another agent may send and record from now on.
  private volatile boolean closed;

  /// Attempts by key, and whether they have ended. Guarded by lock.
  private final Map<AttemptKey, Followed> followed = new HashMap<>();

  /// Held by the thread that looks.
  private final ReentrantLock turn = new ReentrantLock();

  // Guarded by turn.
  private @Nullable AttemptKey failedAt;
  private Duration wait = Duration.ZERO;
  private long waitsSinceNanos;

  /// An attempt whose output is sent.
  ///
  /// @param ended it prints nothing more
  /// @param unreadable how often its files could not be read in a row
  private record Followed(SentOutput sent, boolean ended, int unreadable) {
    Followed(SentOutput sent, boolean ended) {
      this(sent, ended, 0);
    }
  }

  public OutputExport(AttemptLedger ledger, OutputReceiver receiver, TimeSource time) {
    this.ledger = ledger;
    this.receiver = receiver;
    this.time = time;
  }

  /// Begins to send, first what earlier agents did not send of attempts that have ended.
  ///
  /// @param live attempts that are followed by themselves
  public void start(List<AttemptKey> live) {
    looks.start("output", INTERVAL, this::look);
    try {
      ledger.outputs().unfinished().stream()
          .filter(sent -> !live.contains(sent.key()))
          .forEach(sent -> put(sent, true));
    } catch (IOException e) {
      LOG.warn("the output of ended attempts is not sent: {}", e.getMessage());
    }
  }

  /// An attempt was started, or found again.
  public void follow(Assignment assignment) {
    SentOutput sent =
        ledger.outputs().read(assignment.key()).orElseGet(() -> SentOutput.none(assignment));
    if (!sent.done()) {
      record(sent);
      put(sent, false);
    }
  }

  /// None of its processes runs any more. An earlier agent may have followed it until then. An
  /// attempt without a record never ran, and its directory may be deleted at any moment.
  public void ended(AttemptKey key) {
    Optional<SentOutput> recorded =
        ledger.outputs().read(key).filter(Predicate.not(SentOutput::done));
    lock.lock();
    try {
      followed.computeIfPresent(key, (_, before) -> new Followed(before.sent(), true));
      recorded.ifPresent(sent -> followed.putIfAbsent(key, new Followed(sent, true)));
    } finally {
      lock.unlock();
    }
  }

  private void put(SentOutput sent, boolean ended) {
    lock.lock();
    try {
      followed.put(sent.key(), new Followed(sent, ended));
    } finally {
      lock.unlock();
    }
  }

  /// Sends what all attempts have printed since, until the receiver refuses something.
  void look() {
    turn.lock();
    try {
      sendAll();
    } finally {
      turn.unlock();
    }
  }

  private void sendAll() {
    if (time.monotonicNanos() - waitsSinceNanos < wait.toNanos()) {
      return;
    }
    for (AttemptKey key : order()) {
      if (closed) {
        return;
      }
      try {
        switch (send(key)) {
          case NOTHING -> {}
          case TAKEN -> wait = Duration.ZERO;
          case REFUSED -> {
            failedAt = key;
            waitsSinceNanos = time.monotonicNanos();
            wait = longer(wait);
            return;
          }
        }
      } catch (IOException | RuntimeException e) {
        // A job may have touched what lies in its directory: that costs its own output.
        LOG.debug("the output of {} cannot be read", key, e);
        unreadable(key, e);
      }
    }
    failedAt = null;
  }

  /// All attempts, from the one after the last that failed: output that is refused for itself does
  /// not hold up the others.
  private List<AttemptKey> order() {
    lock.lock();
    try {
      List<AttemptKey> keys = new ArrayList<>(followed.keySet().stream().sorted().toList());
      @Nullable AttemptKey failed = failedAt;
      if (failed != null) {
        int later = (int) keys.stream().filter(key -> key.compareTo(failed) <= 0).count();
        Collections.rotate(keys, -later);
      }
      return keys;
    } finally {
      lock.unlock();
    }
  }

  private Optional<Followed> found(AttemptKey key) {
    lock.lock();
    try {
      return Optional.ofNullable(followed.get(key));
    } finally {
      lock.unlock();
    }
  }

  /// The receiver's answer to all that was sent of one attempt.
  private enum Answer {
    NOTHING,
    TAKEN,
    REFUSED
  }

  /// Sends what one attempt has printed since.
  private Answer send(AttemptKey key) throws IOException {
    // Asked before reading: what was printed until the end is read after it.
    Optional<Followed> now = found(key);
    if (now.isEmpty()) {
      return Answer.NOTHING;
    }
    Sending sending = new Sending(now.get());
    try (AttemptLogs logs = AttemptLogs.open(ledger.supervised(key)).orElse(null)) {
      if (logs != null) {
        sending.send(new OutputReader(logs, now.get().ended()));
      } else {
        sending.isWhole = true;
      }
      sending.isRead = true;
    } finally {
      sending.finish();
    }
    return sending.answer;
  }

  /// Tries an attempt that has ended some more times.
  private void unreadable(AttemptKey key, Exception cause) {
    lock.lock();
    try {
      @Nullable Followed one = followed.get(key);
      if (one == null) {
        return;
      }
      if (one.ended() && one.unreadable() + 1 >= MOST_UNREADABLE) {
        LOG.warn("the last output of {} is not sent, because it cannot be read", key, cause);
        followed.remove(key);
      } else {
        followed.put(key, new Followed(one.sent(), one.ended(), one.unreadable() + 1));
      }
    } finally {
      lock.unlock();
    }
  }

  private void record(SentOutput sent) {
    if (closed) {
      return;
    }
    try {
      ledger.outputs().write(sent);
    } catch (IOException e) {
      LOG.debug("the sent output of {} is not recorded", sent.key(), e);
    }
  }

  private static Duration longer(Duration wait) {
    Duration twice = wait.isZero() ? INTERVAL : wait.multipliedBy(2);
    return twice.compareTo(LAST_WAIT) > 0 ? LAST_WAIT : twice;
  }

  /// Sends once more what the receiver takes in a short time. The next agent sends the rest.
  @Override
  public void close() {
    looks.close();
    Thread last = Thread.ofVirtual().name("last output").start(this::look);
    try {
      last.join(PARTING);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      closed = true;
    }
  }

  /// One attempt's turn.
  private final class Sending {
    private final Followed before;
    private SentOutput sent;
    private Answer answer = Answer.NOTHING;
    private boolean isWhole;
    private boolean isRead;

    Sending(Followed before) {
      this.before = before;
      this.sent = before.sent();
    }

    void send(OutputReader reader) throws IOException {
      isWhole = true;
      for (Stream stream : Stream.values()) {
        if (!send(reader, stream)) {
          isWhole = false;
        }
        if (answer == Answer.REFUSED) {
          return;
        }
      }
    }

    /// Sends some parts of the stream; true: there is no more now.
    private boolean send(OutputReader reader, Stream stream) throws IOException {
      for (int parts = 0; parts < MOST_PARTS; parts++) {
        OutputReader.Part part = reader.read(stream, sent.of(stream));
        long end = part.output().endOffset();
        boolean waits = part.output().lines().isEmpty() && part.dropped() > 0 && !before.ended();
        if (end == sent.of(stream) || waits) {
          // Lost bytes are named by the line that follows them.
          return true;
        }
        if (!receiver.take(sent, stream, part)) {
          answer = Answer.REFUSED;
          return false;
        }
        answer = Answer.TAKEN;
        sent = sent.with(stream, end);
      }
      return false;
    }

    void finish() {
      boolean isDone = before.ended() && isWhole && isRead && answer != Answer.REFUSED;
      SentOutput after = isDone ? sent.asDone() : sent;
      if (!after.equals(before.sent())) {
        record(after);
      }
      lock.lock();
      try {
        if (isDone) {
          followed.remove(after.key());
        } else {
          // It may have ended meanwhile.
          followed.computeIfPresent(
              after.key(),
              (_, now) -> new Followed(after, now.ended(), isRead ? 0 : now.unreadable()));
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
