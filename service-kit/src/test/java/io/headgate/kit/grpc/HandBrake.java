package io.headgate.kit.grpc;

import java.util.concurrent.atomic.AtomicReference;

/// A memory brake that a test puts on and off, whatever this process's memory is.
public final class HandBrake {
  private static final int PERCENT = 80;

  private final AtomicReference<MemoryBrake.Left> left =
      new AtomicReference<>(new MemoryBrake.Left(0, 1));
  private final MemoryBrake brake = new MemoryBrake(left::get, PERCENT);

  /// The brake. It is on above 80 % and goes off at 70 %.
  public MemoryBrake brake() {
    return brake;
  }

  /// Acts as if the last collection had left `usedBytes` in use.
  public void leaves(long usedBytes, long maxBytes) {
    left.set(new MemoryBrake.Left(usedBytes, maxBytes));
  }
}
