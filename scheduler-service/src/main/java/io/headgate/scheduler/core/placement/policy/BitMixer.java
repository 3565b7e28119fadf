package io.headgate.scheduler.core.placement.policy;

/// Numbers that look random and are the same everywhere.
public final class BitMixer {
  private static final long STEP = 0x9E3779B97F4A7C15L;

  private BitMixer() {}

  /// Two numbers as one from which neither can be guessed.
  public static long mix(long seed, long number) {
    long mixed = seed + (number + 1) * STEP;
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }
}
