package io.headgate.kit.grpc;

import com.linecorp.armeria.common.ContextAwareRunnable;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.AttributeKey;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/// The threads of calls: virtual, because handlers may block. [Prompt calls][PromptCalls] do not
/// block and stay on the event loop that reads their connection, because the hand-over costs
/// several times as much as most of them.
final class Handlers extends ScheduledThreadPoolExecutor {
  private static final AttributeKey<Boolean> PROMPT =
      AttributeKey.valueOf(Handlers.class, "PROMPT");

  /// @param most concurrent threads; further events wait
  Handlers(int most) {
    // Idle threads stay: a virtual thread costs less than a timer per wait for a call.
    super(most, Thread.ofVirtual().name("handler-", 0).factory());
  }

  /// Runs all further events of the call on its event loop.
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
