package io.headgate.agent.grpc;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.runtime.Agent;
import io.headgate.proto.agent.v1.LogChunk;
import io.headgate.proto.agent.v1.ReadLogs;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Answers one request for an attempt's output, a chunk at a time, never more than was granted.
///
/// Owned by the session's thread.
final class LogSender implements AutoCloseable {
  private static final int MAX_CHUNK_BYTES = 64 * 1024;

  private final Agent agent;
  private final String readId;
  private final AttemptKey key;
  private final boolean follow;
  private final long tailBytes;
  private final Map<AttemptLogs.Stream, Long> offsets = new EnumMap<>(AttemptLogs.Stream.class);
  private @Nullable AttemptLogs logs;
  private long granted;
  private boolean done;

  LogSender(Agent agent, ReadLogs request, AttemptKey key) {
    this.agent = agent;
    this.readId = request.getReadId();
    this.key = key;
    this.follow = request.getFollow();
    this.tailBytes = request.getTailBytes();
    grant(request.getWindowBytes());
  }

  /// Allows this many more bytes.
  void grant(long bytes) {
    granted += Math.max(0, bytes);
  }

  boolean isDone() {
    return done;
  }

  /// The next chunk; empty when there is none now.
  Optional<LogChunk> next() {
    if (done || granted == 0) {
      return Optional.empty();
    }
    try {
      // Asked before reading: what was printed until the end is read after it.
      boolean ended = agent.hasEnded(key);
      boolean complete = !follow || ended;
      Optional<LogChunk> chunk = read(ended);
      if (chunk.isEmpty() && complete) {
        return last(logs == null ? "this machine has no output of the attempt" : "");
      }
      return chunk;
    } catch (IOException | RuntimeException e) {
      // A job may have touched what lies in its directory: that costs its reader, not the session.
      return last("the output of the attempt cannot be read: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    if (logs != null) {
      logs.close();
    }
  }

  private Optional<LogChunk> read(boolean ended) throws IOException {
    AttemptLogs opened = logs == null ? open() : logs;
    if (opened == null) {
      return Optional.empty();
    }
    for (AttemptLogs.Stream stream : AttemptLogs.Stream.values()) {
      long offset = offsets.getOrDefault(stream, 0L);
      int size = (int) Math.min(MAX_CHUNK_BYTES, granted);
      Optional<AttemptLogs.Piece> piece = opened.read(stream, offset, size, ended);
      if (piece.isPresent()) {
        granted -= piece.get().endOffset() - piece.get().offset();
        offsets.put(stream, piece.get().endOffset());
        return Optional.of(ToWire.chunk(readId, piece.get()));
      }
    }
    return Optional.empty();
  }

  private @Nullable AttemptLogs open() throws IOException {
    AttemptLogs opened = agent.openLogs(key).orElse(null);
    if (opened != null && tailBytes > 0) {
      for (AttemptLogs.Stream stream : AttemptLogs.Stream.values()) {
        offsets.put(stream, opened.tailOffset(stream, tailBytes));
      }
    }
    logs = opened;
    return opened;
  }

  private Optional<LogChunk> last(String error) {
    done = true;
    return Optional.of(ToWire.lastChunk(readId, error));
  }
}
