package io.headgate.agent.process;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/// The connection to one supervisor: commands go in, changes of its status come out.
///
/// Sending never waits: a command replaces an unsent one of its kind, and a virtual thread of the
/// link's own writes them. A supervisor that hangs blocks only that thread.
public final class SupervisorLink implements AutoCloseable {
  private final SocketChannel channel;
  private final ByteBuffer received = ByteBuffer.allocate(4096);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable String unsentStop; // guarded by lock
  private @Nullable String unsentContact; // guarded by lock
  private @Nullable String unsentClock; // guarded by lock
  private long contactMs; // guarded by lock
  private boolean closed; // guarded by lock

  private SupervisorLink(SocketChannel channel) {
    this.channel = channel;
  }

  /// Connects to the supervisor that lives in the directory.
  ///
  /// @param user that it is where its job can put another's socket in the place of its own; empty:
  ///   no job can
  public static SupervisorLink connect(Path attempt, OptionalInt user) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    // A socket's name may have 107 bytes only; through the pinned directory it always fits.
    try (PinnedDirectory directory = PinnedDirectory.open(attempt)) {
      channel.connect(UnixDomainSocketAddress.of(directory.path().resolve("control")));
      if (user.isPresent()) {
        requirePeer(channel, user.getAsInt());
      }
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    SupervisorLink link = new SupervisorLink(channel);
    Thread.ofVirtual().name("supervisor-link").start(link::sendCommands);
    return link;
  }

  private static void requirePeer(SocketChannel channel, int user) throws IOException {
    // A user without a name has his number instead.
    String peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
    if (!peer.equals(Integer.toString(user))) {
      throw new IOException(
          "the supervisor's socket belongs to user " + peer + ", and not " + user);
    }
  }

  /// The control plane was heard from at that time of the boot clock.
  ///
  /// @param step the supervisor is not told of a contact that is later by less than this
  public void contact(long bootMs, Duration step) {
    lock.lock();
    try {
      long later = bootMs - contactMs;
      if (later < 0 || later >= step.toMillis()) {
        contactMs = bootMs;
        unsentContact = "contact " + bootMs + "\n";
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Stop the job. A zero callback time skips the callback, also one that runs already.
  public void stop(String reason, Duration callback, Duration grace) {
    offerStop("stop " + reason + " " + callback.toMillis() + " " + grace.toMillis() + "\n");
  }

  /// Kill the job now.
  public void kill(String reason) {
    offerStop("kill " + reason + "\n");
  }

  /// Whether the job's time limit runs; not while it is suspended. May be said again.
  public void limitTime(boolean runs) {
    lock.lock();
    try {
      unsentClock = runs ? "continue\n" : "pause\n";
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until the supervisor says that its status has changed.
  ///
  /// @throws EOFException when the supervisor, or this link, has ended
  public void awaitChange() throws IOException {
    // Announcements that arrive together are one change: the reader reads the latest status anyway.
    received.clear();
    if (channel.read(received) < 0) {
      throw new EOFException("the supervisor has ended");
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    channel.close();
  }

  private void offerStop(String stop) {
    lock.lock();
    try {
      unsentStop = stop;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void sendCommands() {
    try {
      for (String line = take(); line != null; line = take()) {
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
    } catch (IOException | InterruptedException _) {
      // The reader of the link learns of its end; unsent commands are repeated on the next link.
    }
  }

  private @Nullable String take() throws InterruptedException {
    lock.lock();
    try {
      while (!closed && unsentStop == null && unsentClock == null && unsentContact == null) {
        changed.await();
      }
      if (closed) {
        return null;
      }
      String line =
          unsentStop != null ? unsentStop : unsentClock != null ? unsentClock : unsentContact;
      if (unsentStop != null) {
        unsentStop = null;
      } else if (unsentClock != null) {
        unsentClock = null;
      } else {
        unsentContact = null;
      }
      return line;
    } finally {
      lock.unlock();
    }
  }
}
