package io.headgate.scheduler.runtime.record;

import java.util.function.Consumer;

/// All keys that are durable; it may take its time.
public interface StoredKeys {
  /// Tells each, as `KnownKeys.key`, some of them perhaps twice.
  void forEach(Consumer<String> each);

  /// How many there are at most, about; quick.
  long count();
}
