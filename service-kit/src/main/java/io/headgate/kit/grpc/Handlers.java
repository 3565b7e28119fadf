package io.headgate.kit.grpc;

import com.linecorp.armeria.common.ContextAwareRunnable;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.AttributeKey;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/// Threads for what happens in calls: virtual ones, for it may block. What happens in a [prompt
/// call][PromptCalls] does not, and stays on the event loop that reads its connection: to hand it
/// over costs several times what most of it takes.
final class Handlers extends ScheduledThreadPoolExecutor {
  private static final AttributeKey<Boolean> PROMPT =
      AttributeKey.valueOf(Handlers.class, "PROMPT");

  /// @param most threads at a time; more events wait
  Handlers(int most) {
    // Idle ones stay: a virtual thread costs less than a timer for each wait for a call.
    super(most, Thread.ofVirtual().name("handler-", 0).factory());
  }

  /// Keeps everything that happens in the call on its event loop from now on.
  static void keepOnEventLoop(ServiceRequestContext call) {
    call.setAttr(PROMPT, true);
  }

  @Override
  public void execute(Runnable event) {
    if (event instanceof ContextAwareRunnable aware
        && aware.context() instanceof ServiceRequestContext call
        && call.hasAttr(PROMPT)
        && call.eventLoop().inEventLoop()) {
      event.run();
    } else {
      super.execute(event);
    }
  }
}
