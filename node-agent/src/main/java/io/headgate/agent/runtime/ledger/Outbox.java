package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.process.DurableFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Updates that the scheduler has not acknowledged yet, in order and durable, with sequence numbers
/// that rise by one for as long as the data directory lives.
///
/// A journal of lines `<sequence> <crc> <report>` and `base <sequence>`: the scheduler has
/// acknowledged everything up to the base, which is the first line. A line cut off by a crash was
/// never sent and is dropped; damage before the end is refused. Thread-safe.
public final class Outbox implements Updates {
  /// An outage of days on a busy machine; beyond it Hello tells how everything stands.
  static final int MAX_ENTRIES = 100_000;

  private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
  private static final long COMPACT_BYTES = 1 << 20;
  private static final String BASE = "base ";

  private final Path file;
  private final DiskReserve reserve;
  private final Object lock = new Object();
  private final NavigableMap<Long, Entry> entries = new TreeMap<>(); // guarded by lock
  private final List<CompletableFuture<Void>> awaitingEmpty = new ArrayList<>(); // guarded by lock
  private FileChannel journal; // guarded by lock
  private long compactBytes; // guarded by lock: beyond this size it is written anew
  private long last; // guarded by lock

  private Outbox(Path file, DiskReserve reserve) throws IOException {
    this.file = file;
    this.reserve = reserve;
    if (!Files.exists(file)) {
      reserve.write(() -> DurableFile.replace(file, content()));
    }
    // A journal that is whole is not written anew, so that an agent starts on a full disk, too.
    long wholeBytes = load();
    this.journal = openJournal();
    journal.truncate(wholeBytes);
  }

  /// Opens the outbox and reads the unacknowledged updates.
  ///
  /// @param reserve space for updates on a full disk
  public static Outbox open(Path file, DiskReserve reserve) throws IOException {
    return new Outbox(file, reserve);
  }

  @Override
  public Entry append(AttemptReport report) throws IOException {
    synchronized (lock) {
      Entry entry = new Entry(last + 1, report);
      reserve.write(() -> write(journal, line(entry), true));
      last++;
      entries.put(entry.sequence(), entry);
      if (entries.size() > MAX_ENTRIES) {
        entries.pollFirstEntry();
      }
      return entry;
    }
  }

  @Override
  public void acknowledge(long sequence) throws IOException {
    List<CompletableFuture<Void>> emptied = List.of();
    synchronized (lock) {
      boolean news = !entries.headMap(sequence, true).isEmpty();
      entries.headMap(sequence, true).clear();
      if (entries.isEmpty()) {
        emptied = List.copyOf(awaitingEmpty);
        awaitingEmpty.clear();
      }
      // Ahead of us only when this machine's data was lost; its numbers must not be used again.
      boolean ahead = sequence > last;
      last = Math.max(last, sequence);
      if (ahead || journal.size() > compactBytes) {
        compact();
      } else if (news) {
        note(sequence);
      }
    }
    emptied.forEach(waiting -> waiting.complete(null));
  }

  @Override
  public List<Entry> after(long sequence, int limit) {
    synchronized (lock) {
      return entries.tailMap(sequence, false).values().stream().limit(limit).toList();
    }
  }

  @Override
  public CompletableFuture<Void> emptied() {
    synchronized (lock) {
      CompletableFuture<Void> answer = new CompletableFuture<>();
      if (entries.isEmpty()) {
        answer.complete(null);
      } else {
        awaitingEmpty.add(answer);
      }
      return answer;
    }
  }

  @Override
  public int size() {
    synchronized (lock) {
      return entries.size();
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (lock) {
      journal.close();
    }
  }

  /// Writes the journal anew with its remaining entries. A full disk keeps the old journal.
  private void compact() throws IOException {
    Object before = fileKey();
    try {
      reserve.write(() -> DurableFile.replace(file, content()));
    } catch (IOException e) {
      if (!Objects.equals(before, fileKey())) {
        // The file is replaced, but perhaps not durably: an update written to either copy could be
        // lost.
        journal.close();
        throw e;
      }
      LOG.warn("the outbox {} cannot be compacted yet: {}", file, e.getMessage());
      return;
    }
    journal.close();
    journal = openJournal();
  }

  private FileChannel openJournal() throws IOException {
    FileChannel opened =
        FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    // Twice the present rest: however slow acknowledgements are, the cost of copying stays small.
    compactBytes = Math.max(COMPACT_BYTES, 2 * opened.size());
    return opened;
  }

  private @Nullable Object fileKey() throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  private byte[] content() {
    StringBuilder text = new StringBuilder();
    long base = entries.isEmpty() ? last : entries.firstKey() - 1;
    text.append(base(base));
    entries.values().forEach(entry -> text.append(line(entry)));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /// Reads the journal and says how many bytes of it are whole.
  private long load() throws IOException {
    String text = Files.readString(file, StandardCharsets.UTF_8);
    List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
    // After the last line end lies nothing, or a line that a crash cut off.
    lines.removeLast();
    long whole = 0;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      try {
        if (line.startsWith(BASE)) {
          long base = Long.parseLong(line.substring(BASE.length()));
          entries.headMap(base, true).clear();
          last = Math.max(last, base);
        } else {
          Entry entry = parse(line);
          entries.put(entry.sequence(), entry);
          last = entry.sequence();
        }
      } catch (RuntimeException e) {
        if (i < lines.size() - 1) {
          throw new UncheckedIOException(
              new IOException("line " + (i + 1) + " of " + file + " is damaged", e));
        }
        return whole;
      }
      whole += line.getBytes(StandardCharsets.UTF_8).length + 1L;
    }
    return whole;
  }

  private static Entry parse(String line) {
    String[] parts = line.split(" ", 3);
    if (Long.parseLong(parts[1], 16) != crc(parts[0] + " " + parts[2])) {
      throw new Fields.DamagedException("checksum");
    }
    return new Entry(Long.parseLong(parts[0]), Records.report(Fields.ofLine(parts[2])));
  }

  /// Recorded so that a restarted agent does not send these updates again. A power cut or a full
  /// disk may lose the entry; then some updates are sent twice, which is harmless.
  private void note(long sequence) {
    try {
      write(journal, base(sequence), false);
    } catch (IOException e) {
      LOG.debug("the outbox {} does not record that update {} was acknowledged", file, sequence, e);
    }
  }

  private static String base(long sequence) {
    return BASE + sequence + "\n";
  }

  private static String line(Entry entry) {
    String payload = Records.of(entry.report()).toLine();
    long crc = crc(entry.sequence() + " " + payload);
    return entry.sequence() + " " + Long.toHexString(crc) + " " + payload + "\n";
  }

  private static long crc(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }

  /// Appends all of it, or nothing: half a line would damage the next.
  private static void write(FileChannel channel, String text, boolean durably) throws IOException {
    long before = channel.size();
    try {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      if (durably) {
        channel.force(false);
      }
    } catch (IOException e) {
      if (channel.isOpen()) {
        channel.truncate(before);
      }
      throw e;
    }
  }
}
