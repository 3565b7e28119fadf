package io.headgate.kit.grpc;

import com.linecorp.armeria.common.FlagsProvider;
import com.linecorp.armeria.common.util.TransportType;
import org.jspecify.annotations.Nullable;

/// An event loop for each processor, where Armeria has two: nothing waits on them here, so a second
/// one only costs the processor a change of threads.
public final class EventLoopFlags implements FlagsProvider {
  @Override
  public int priority() {
    return 1;
  }

  @Override
  public @Nullable Integer numCommonWorkers(TransportType transport) {
    return Runtime.getRuntime().availableProcessors();
  }
}
