package io.headgate.agent.core;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Decides from samples which attempts exceed the device memory of their slices for too long. Pure,
/// and confined to one thread.
///
/// Example: with 2 samples and 5 between, an attempt that stays over its limit is reported at its
/// second sample over it, and again at its 7th and 12th, in case a report was lost.
public final class MemoryMeter {
  private final int samples;
  private final int between;
  private SortedMap<AttemptKey, Integer> over = new TreeMap<>();

  /// The memory of one device that one attempt uses.
  ///
  /// @param limitBytes of all its slices of the device together
  public record Use(AttemptKey attempt, String deviceUuid, long bytes, long limitBytes) {
    /// Whether it has more than its slices.
    public boolean isExcess() {
      return bytes > limitBytes;
    }
  }

  /// An attempt that uses too much.
  ///
  /// @param words one sentence, with the numbers
  public record Excess(AttemptKey attempt, String words) {}

  /// @param samples over the limit, one after the other, that are too many; from 1
  /// @param between samples between two reports of the same excess; from 1
  public MemoryMeter(int samples, int between) {
    if (samples < 1 || between < 1) {
      throw new IllegalArgumentException("%d samples, %d between".formatted(samples, between));
    }
    this.samples = samples;
    this.between = between;
  }

  /// Takes one sample, of one device and all attempts that have slices of it.
  public List<Excess> take(List<Use> uses) {
    SortedMap<AttemptKey, Integer> now = new TreeMap<>();
    List<Excess> excesses = new ArrayList<>();
    for (Use use : uses) {
      if (use.isExcess()) {
        int count = over.getOrDefault(use.attempt(), 0) + 1;
        now.put(use.attempt(), count);
        if (count >= samples && (count - samples) % between == 0) {
          excesses.add(new Excess(use.attempt(), words(use)));
        }
      }
    }
    over = now;
    return excesses;
  }

  private static String words(Use use) {
    return "it used %s of the memory of %s, of which it has %s"
        .formatted(
            mebibytes(use.bytes()),
            use.deviceUuid(),
            use.limitBytes() == 0 ? "no slice" : mebibytes(use.limitBytes()));
  }

  private static String mebibytes(long bytes) {
    return (bytes >> 20) + " MiB";
  }
}
