package io.headgate.kit.position;

/// The progress of a watcher.
///
/// @param incarnation of the watched store; empty: none yet. A restore from a backup begins a new
///   incarnation, because versions then repeat
/// @param version in that incarnation; 0: nothing was seen
public record WatchPosition(String incarnation, long version) {
  public static final WatchPosition START = new WatchPosition("", 0);

  public WatchPosition {
    if (version < 0) {
      throw new IllegalArgumentException("version: at least 0, not " + version);
    }
  }
}
