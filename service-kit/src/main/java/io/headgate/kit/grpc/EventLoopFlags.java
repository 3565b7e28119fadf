package io.headgate.kit.grpc;

import com.linecorp.armeria.common.FlagsProvider;
import com.linecorp.armeria.common.util.TransportType;
import org.jspecify.annotations.Nullable;

/// Uses one event loop per processor instead of Armeria's two: nothing blocks on them here, so a
/// second loop only adds context switches.
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
