package io.headgate.agent.runtime;

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
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32;

/// Updates that the scheduler has not acknowledged yet, in order and durable, with sequence numbers
/// that rise by one for as long as the data directory lives.
///
/// A journal of lines `<sequence> <crc> <report>` after a first line `base <sequence>`. What a
/// crash cut off at the end was never sent, so it is dropped; damage before the end is refused.
/// Thread-safe.
final class Outbox implements AutoCloseable {
  /// An update and its place in the order.
  record Entry(long sequence, AttemptReport report) {}

  /// An outage of days on a busy machine; beyond it Hello tells how everything stands.
  static final int MAX_ENTRIES = 100_000;

  private static final long COMPACT_BYTES = 1 << 20;

  private final Path file;
  private final Object lock = new Object();
  private final NavigableMap<Long, Entry> entries = new TreeMap<>(); // guarded by lock
  private final List<CompletableFuture<Void>> awaitingEmpty = new ArrayList<>(); // guarded by lock
  private FileChannel journal; // guarded by lock
  private long last; // guarded by lock

  private Outbox(Path file) throws IOException {
    this.file = file;
    if (Files.exists(file)) {
      load();
    }
    this.journal = rewrite();
  }

  static Outbox open(Path file) throws IOException {
    return new Outbox(file);
  }

  /// Adds an update; when this returns it survives any crash.
  Entry append(AttemptReport report) throws IOException {
    synchronized (lock) {
      Entry entry = new Entry(last + 1, report);
      write(journal, line(entry));
      journal.force(false);
      last++;
      entries.put(entry.sequence(), entry);
      if (entries.size() > MAX_ENTRIES) {
        entries.pollFirstEntry();
      }
      return entry;
    }
  }

  /// Everything up to the sequence is the scheduler's now.
  void acknowledge(long sequence) throws IOException {
    List<CompletableFuture<Void>> emptied = List.of();
    synchronized (lock) {
      entries.headMap(sequence, true).clear();
      if (entries.isEmpty()) {
        emptied = List.copyOf(awaitingEmpty);
        awaitingEmpty.clear();
      }
      // Ahead of us only when this machine's data was lost; its numbers must not be used again.
      boolean ahead = sequence > last;
      last = Math.max(last, sequence);
      if (ahead || (entries.isEmpty() && journal.size() > COMPACT_BYTES)) {
        journal.close();
        journal = rewrite();
      }
    }
    emptied.forEach(waiting -> waiting.complete(null));
  }

  /// Updates after the sequence, oldest first.
  List<Entry> after(long sequence, int limit) {
    synchronized (lock) {
      return entries.tailMap(sequence, false).values().stream().limit(limit).toList();
    }
  }

  /// Completes once nothing is unacknowledged.
  CompletableFuture<Void> emptied() {
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

  int size() {
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

  private FileChannel rewrite() throws IOException {
    StringBuilder text = new StringBuilder();
    long base = entries.isEmpty() ? last : entries.firstKey() - 1;
    text.append("base ").append(base).append('\n');
    entries.values().forEach(entry -> text.append(line(entry)));
    DurableFile.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
    return FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  private void load() throws IOException {
    String text = Files.readString(file, StandardCharsets.UTF_8);
    List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
    // After the last line end lies nothing, or what a crash cut off.
    lines.removeLast();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      try {
        if (line.startsWith("base ")) {
          last = Long.parseLong(line.substring("base ".length()));
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
      }
    }
  }

  private static Entry parse(String line) {
    String[] parts = line.split(" ", 3);
    if (Long.parseLong(parts[1], 16) != crc(parts[0] + " " + parts[2])) {
      throw new Fields.DamagedException("checksum");
    }
    return new Entry(Long.parseLong(parts[0]), Records.report(Fields.ofLine(parts[2])));
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

  private static void write(FileChannel channel, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
