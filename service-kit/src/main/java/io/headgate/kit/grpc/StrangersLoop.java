package io.headgate.kit.grpc;

import com.linecorp.armeria.common.CommonPools;
import com.linecorp.armeria.common.util.ThreadFactories;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.time.TimeSource;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The event loop that reads all connections until their first call shows a good token, and those
/// without one for good. It is one thread. With the threads that check tokens for it, it has a
/// bounded [share][ProcessorShare] of the processors. So handshakes, headers, frames and refused
/// calls of strangers take no more than that, from however many addresses they come.
///
/// A connection leaves from its [lobby][Lobby], before Armeria binds it to a loop. Then its
/// [cost][ConnectionCost] is given back, so that many honest clients may connect at once. So is the
/// cost of one that is proven later.
final class StrangersLoop extends MultiThreadIoEventLoopGroup {
  private static final String NAME = "strangers";

  /// The part of all processors that strangers may have, and the most of them.
  private static final double SHARE = 0.125;

  private static final double MOST = 1;
  private static final Duration BURST = Duration.ofMillis(500);

  /// Connections that are read before the loop pauses.
  private static final int AT_ONCE = 16;

  private static final AttributeKey<Boolean> ASKED =
      AttributeKey.valueOf(StrangersLoop.class, "ASKED");

  private final ProcessorShare share;
  private final Rounds rounds;
  private final TokenChecks checks;
  private final AskedCallers asked = new AskedCallers(TimeSource.system());
  private final LongAdder left = new LongAdder();
  private final LongAdder inLobby = new LongAdder();

  private StrangersLoop(
      TokenVerifier verifier, ProcessorShare share, Rounds rounds, IoHandlerFactory transport) {
    super(
        1,
        ThreadFactories.newEventLoopThreadFactory(NAME, true),
        executor -> new Paced(transport.newHandler(executor), share, rounds));
    this.share = share;
    this.rounds = rounds;
    this.checks = new TokenChecks(NAME, verifier, share);
  }

  static StrangersLoop create(TokenVerifier verifier) {
    ProcessorShare share = new ProcessorShare(processors(), BURST, TimeSource.system());
    return new StrangersLoop(verifier, share, new Rounds(), AcceptorEventLoop.transport(AT_ONCE));
  }

  /// How many processors strangers may use over time.
  static double processors() {
    return Math.min(MOST, SHARE * Runtime.getRuntime().availableProcessors());
  }

  /// Whether a call came over a connection that this loop reads.
  static boolean reads(ServiceRequestContext call) {
    return of(call) != null;
  }

  /// A call was a good one. Does nothing if another loop reads it.
  ///
  /// @param caller its name
  /// @param isNew whether it is the first good one of its connection
  static void proven(ServiceRequestContext call, String caller, boolean isNew) {
    @Nullable StrangersLoop strangers = of(call);
    @Nullable Channel channel = call.log().partial().channel();
    if (strangers == null || channel == null) {
      return;
    }
    if (isNew) {
      ConnectionCost.of(channel).ifPresent(cost -> cost.giveBack(strangers.share));
    }
    if (!channel.hasAttr(ASKED) && strangers.asked.mayAsk(caller)) {
      channel.attr(ASKED).set(true);
      var _ = call.initiateConnectionShutdown();
    }
  }

  /// Whether the client of a stream may be [asked][AskedCallers] to connect again for it.
  static boolean mayAsk(ServiceRequestContext call, String caller) {
    @Nullable StrangersLoop strangers = of(call);
    return strangers != null && strangers.asked.mayAsk(caller);
  }

  /// The loop that reads the connection of a call; null: another one reads it.
  static @Nullable StrangersLoop of(ServiceRequestContext call) {
    @Nullable Channel channel = call.log().partial().channel();
    return channel != null && channel.eventLoop().parent() instanceof StrangersLoop strangers
        ? strangers
        : null;
  }

  /// Threads that check tokens, and share the processor time of this loop.
  TokenChecks checks() {
    return checks;
  }

  /// A connection has come into its lobby.
  void arrived() {
    inLobby.increment();
  }

  /// A connection is no longer in its lobby.
  void departed() {
    inLobby.decrement();
  }

  /// Connections in their lobby.
  long inLobby() {
    return inLobby.sum();
  }

  /// Rounds so far that read all there was to read. Called on the loop.
  long rounds() {
    return rounds.complete;
  }

  /// Time that the loop paused so far to keep its share.
  double pausedSeconds() {
    return rounds.pausedNanos.sum() / 1e9;
  }

  /// Connections that left so far.
  long left() {
    return left.sum();
  }

  /// A connection leaves.
  ///
  /// @return the loop that reads it from now on
  EventLoop leave(Channel channel) {
    left.increment();
    ConnectionCost.of(channel)
        .ifPresent(cost -> {
          cost.giveBack(share);
          cost.end(channel);
        });
    return CommonPools.workerGroup().next();
  }

  /// Ends without Netty's default of two seconds of silence, because all connections are closed
  /// before it stops.
  @Override
  public Future<?> shutdownGracefully() {
    checks.stop();
    return shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private static final class Rounds {
    private final LongAdder pausedNanos = new LongAdder();

    /// Confined to the thread of the loop.
    private long complete;
  }

  /// Pauses the loop between its rounds. While a debt is left, connections are not read, but tasks
  /// run, such as the close of a connection. Confined to the thread of the loop, where nothing else
  /// is said by [IoHandler].
  private static final class Paced implements IoHandler {
    private final IoHandler io;
    private final ProcessorShare share;
    private final Rounds rounds;
    private long usedNanos;

    Paced(IoHandler io, ProcessorShare share, Rounds rounds) {
      this.io = io;
      this.share = share;
      this.rounds = rounds;
    }

    @Override
    public void initialize() {
      usedNanos = ProcessorShare.nanosOfThread();
      io.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
      long used = ProcessorShare.nanosOfThread();
      long begun = TimeSource.system().monotonicNanos();
      boolean isKept = share.use(used - usedNanos);
      rounds.pausedNanos.add(TimeSource.system().monotonicNanos() - begun);
      usedNanos = used;
      if (!isKept) {
        return 0;
      }
      int read = io.run(context);
      if (read < AT_ONCE) {
        rounds.complete++;
      }
      return read;
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
