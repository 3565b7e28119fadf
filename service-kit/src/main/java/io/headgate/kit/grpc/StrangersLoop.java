package io.headgate.kit.grpc;

import com.linecorp.armeria.common.CommonPools;
import com.linecorp.armeria.common.util.ThreadFactories;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.kit.lifecycle.HeavyThreads;
import io.headgate.kit.time.TimeSource;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The event loop that reads all connections until their first call shows a good token, and those
/// without one for good. It is one thread. With the threads that check tokens for it, it has a
/// bounded [share][ProcessorShare] of the processors. So handshakes, headers, frames and refused
/// calls of strangers take no more than that, from however many addresses they come.
///
/// A connection leaves from its [lobby][Lobby], before Armeria binds it to a loop. Then its costs
/// are given back, so that many honest clients may connect at once.
final class StrangersLoop extends MultiThreadIoEventLoopGroup {
  private static final String NAME = "strangers";

  /// More than one, because a check may wait for keys.
  private static final int CHECKERS = 2;

  /// The part of all processors that strangers may have, and the most of them.
  private static final double SHARE = 0.125;

  private static final double MOST = 1;
  private static final Duration BURST = Duration.ofMillis(500);

  /// A connection costs about a millisecond with TLS, and many times that in a new process.
  private static final Duration COST = Duration.ofMillis(20);

  /// Connections that are read before the loop pauses.
  private static final int AT_ONCE = 16;

  private final ProcessorShare share;
  private final HeavyThreads checkers = new HeavyThreads(NAME + "-tokens", CHECKERS);
  private final LongAdder left = new LongAdder();

  private StrangersLoop(ProcessorShare share, IoHandlerFactory transport) {
    super(
        1,
        ThreadFactories.newEventLoopThreadFactory(NAME, true),
        executor -> new Paced(transport.newHandler(executor), share));
    this.share = share;
  }

  static StrangersLoop create() {
    ProcessorShare share = new ProcessorShare(processors(), BURST, TimeSource.system());
    return new StrangersLoop(share, AcceptorEventLoop.transport(AT_ONCE));
  }

  /// How many processors strangers may use over time.
  static double processors() {
    return Math.min(MOST, SHARE * Runtime.getRuntime().availableProcessors());
  }

  /// Whether a call came over a connection that this loop reads.
  static boolean reads(ServiceRequestContext call) {
    return of(call) != null;
  }

  /// Threads that may check the token of a call: those of strangers, or the common ones.
  static Executor checkers(ServiceRequestContext call) {
    @Nullable StrangersLoop strangers = of(call);
    return strangers == null ? call.blockingTaskExecutor() : strangers.checkers();
  }

  private static @Nullable StrangersLoop of(ServiceRequestContext call) {
    @Nullable Channel channel = call.log().partial().channel();
    return channel != null && channel.eventLoop().parent() instanceof StrangersLoop strangers
        ? strangers
        : null;
  }

  /// Threads that may block, and share the processor time of this loop.
  Executor checkers() {
    return check ->
        checkers
            .executor()
            .execute(() -> {
              long before = ProcessorShare.nanosOfThread();
              check.run();
              share.use(ProcessorShare.nanosOfThread() - before);
            });
  }

  /// Connections that left so far.
  long left() {
    return left.sum();
  }

  /// The loop that reads the next connection that leaves.
  EventLoop leave() {
    left.increment();
    share.giveBack(COST);
    return CommonPools.workerGroup().next();
  }

  /// Ends without Netty's default of two seconds of silence, because all connections are closed
  /// before it stops.
  @Override
  public Future<?> shutdownGracefully() {
    checkers.stop();
    return shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /// Pauses the loop between its rounds. Confined to the thread of the loop, where nothing else is
  /// said by [IoHandler].
  private static final class Paced implements IoHandler {
    private final IoHandler io;
    private final ProcessorShare share;
    private long usedNanos;

    Paced(IoHandler io, ProcessorShare share) {
      this.io = io;
      this.share = share;
    }

    @Override
    public void initialize() {
      usedNanos = ProcessorShare.nanosOfThread();
      io.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
      long used = ProcessorShare.nanosOfThread();
      share.use(used - usedNanos);
      usedNanos = used;
      return io.run(context);
    }

    @Override
    public void prepareToDestroy() {
      io.prepareToDestroy();
    }

    @Override
    public void destroy() {
      io.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      return io.register(handle);
    }

    @Override
    public void wakeup() {
      io.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return io.isCompatible(handleType);
    }
  }
}
