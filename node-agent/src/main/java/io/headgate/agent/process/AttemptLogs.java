package io.headgate.agent.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The kept output of one attempt, addressed by stream and offset, never by a path from outside.
///
/// A supervisor keeps a stream in segments of equal size: byte b lies in segment b / size. Old
/// segments are gone; a reader that asks for them is led to the oldest that is kept.
public final class AttemptLogs implements AutoCloseable {
  /// Where a program printed it.
  public enum Stream {
    STDOUT("stdout."),
    STDERR("stderr.");

    private final String prefix;

    Stream(String prefix) {
      this.prefix = prefix;
    }
  }

  /// Some consecutive bytes of a stream.
  ///
  /// @param offset of the first byte in the stream since the attempt began
  /// @param gap bytes before it were dropped
  public record Piece(Stream stream, long offset, ByteBuffer bytes, boolean gap) {
    public Piece {
      bytes = bytes.asReadOnlyBuffer();
    }

    public long endOffset() {
      return offset + bytes.remaining();
    }
  }

  private final PinnedDirectory directory;
  private final long segmentBytes;
  private final OutputMask mask;

  private AttemptLogs(PinnedDirectory directory, long segmentBytes, OutputMask mask) {
    this.directory = directory;
    this.segmentBytes = segmentBytes;
    this.mask = mask;
  }

  /// Opens the logs of the attempt in the directory; empty when it never started.
  public static Optional<AttemptLogs> open(Path attempt) throws IOException {
    try {
      long segmentBytes = SupervisorSpec.logSegmentBytes(attempt);
      return Optional.of(
          new AttemptLogs(
              PinnedDirectory.open(attempt.resolve("logs")),
              segmentBytes,
              SupervisorSpec.mask(attempt)));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /// The next piece at or after the offset, with the values of vaults masked; empty when there is
  /// none yet.
  ///
  /// @param ended whether nothing more will be printed; until then the last bytes are kept back
  ///   while they may be the beginning of a value
  public Optional<Piece> read(Stream stream, long offset, int maxBytes, boolean ended)
      throws IOException {
    Optional<Piece> raw = read(stream, offset, maxBytes);
    return mask.isEmpty() || raw.isEmpty() ? raw : masked(raw.get(), ended);
  }

  private Optional<Piece> masked(Piece raw, boolean ended) throws IOException {
    byte[] before = raw.gap() ? new byte[0] : before(raw);
    byte[] after = around(raw.stream(), raw.endOffset(), raw.endOffset() + mask.context());
    int length = raw.bytes().remaining();
    ByteBuffer window = ByteBuffer.allocate(before.length + length + after.length);
    window.put(before).put(raw.bytes().duplicate()).put(after);
    byte[] bytes = window.array();
    boolean isCut = before.length < Math.min(mask.context(), raw.offset());
    mask.apply(bytes, isCut);
    int kept = ended || after.length == mask.context() ? 0 : mask.open(bytes);
    int shown = Math.min(length, bytes.length - kept - before.length);
    return shown <= 0
        ? Optional.empty()
        : Optional.of(
            new Piece(
                raw.stream(),
                raw.offset(),
                ByteBuffer.wrap(bytes, before.length, shown).slice(),
                raw.gap()));
  }

  /// The bytes right before a piece, as many as the mask needs and are kept.
  private byte[] before(Piece piece) throws IOException {
    long from = Math.max(0, piece.offset() - mask.context());
    byte[] found = around(piece.stream(), from, piece.offset());
    // Rotation may have removed the segment before; the piece's own is there.
    long own = piece.offset() - piece.offset() % segmentBytes;
    return found.length == piece.offset() - from || own <= from
        ? found
        : around(piece.stream(), own, piece.offset());
  }

  /// Consecutive kept bytes from an offset on.
  private byte[] around(Stream stream, long from, long until) throws IOException {
    ByteArrayOutputStream found = new ByteArrayOutputStream();
    long at = from;
    while (at < until) {
      Optional<Piece> piece = readSegment(stream, at, (int) (until - at), false);
      if (piece.isEmpty()) {
        return found.toByteArray();
      }
      at = piece.get().endOffset();
      byte[] bytes = new byte[piece.get().bytes().remaining()];
      piece.get().bytes().get(bytes);
      found.writeBytes(bytes);
    }
    return found.toByteArray();
  }

  /// The next piece at or after the offset, as it was printed; empty when there is none yet.
  Optional<Piece> read(Stream stream, long offset, int maxBytes) throws IOException {
    Optional<Piece> piece = readSegment(stream, offset, maxBytes, false);
    if (piece.isPresent()) {
      return piece;
    }
    // Nothing there: either nothing was printed yet, or rotation has passed the reader.
    long segment = offset / segmentBytes;
    NavigableMap<Long, String> kept = segments(stream);
    Optional<Long> later =
        Optional.ofNullable(kept.firstEntry())
            .map(oldest -> Math.max(oldest.getKey(), segment + 1))
            .map(kept::ceilingKey);
    return later.isEmpty()
        ? Optional.empty()
        : readSegment(
            stream, later.get() * segmentBytes, maxBytes, later.get() * segmentBytes > offset);
  }

  /// The offset at which the last `bytes` bytes begin.
  public long tailOffset(Stream stream, long bytes) throws IOException {
    NavigableMap<Long, String> kept = segments(stream);
    if (kept.isEmpty()) {
      return 0;
    }
    long end = kept.lastKey() * segmentBytes;
    try (FileChannel newest = directory.openFile(kept.lastEntry().getValue())) {
      end += newest.size();
    } catch (NoSuchFileException _) {
      // Rotated away meanwhile: then at least a whole segment follows, which the tail begins in.
    }
    return Math.max(kept.firstKey() * segmentBytes, Math.max(0, end - bytes));
  }

  @Override
  public void close() {
    directory.close();
  }

  private Optional<Piece> readSegment(Stream stream, long offset, int maxBytes, boolean gap)
      throws IOException {
    long segment = offset / segmentBytes;
    long within = offset % segmentBytes;
    try (FileChannel file = directory.openFile(stream.prefix + segment)) {
      long room = Math.min(maxBytes, segmentBytes - within);
      ByteBuffer buffer = ByteBuffer.allocate((int) Math.clamp(file.size() - within, 0, room));
      int read = file.read(buffer, within);
      return read <= 0
          ? Optional.empty()
          : Optional.of(new Piece(stream, offset, buffer.flip(), gap));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  private NavigableMap<Long, String> segments(Stream stream) throws IOException {
    NavigableMap<Long, String> segments = new TreeMap<>();
    for (String name : directory.names()) {
      if (!name.startsWith(stream.prefix)) {
        continue;
      }
      String number = name.substring(stream.prefix.length());
      // The supervisor writes plain numbers; whatever else lies there is not a log.
      if (number.length() <= 15 && number.chars().allMatch(c -> c >= '0' && c <= '9')) {
        segments.put(Long.parseLong(number), name);
      }
    }
    return segments;
  }
}
