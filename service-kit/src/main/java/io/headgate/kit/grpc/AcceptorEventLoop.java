package io.headgate.kit.grpc;

import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.util.ThreadFactories;
import com.linecorp.armeria.common.util.TransportType;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// The event loop that accepts connections. It ends without Netty's default of two seconds of
/// silence, because its sockets are closed before it stops.
final class AcceptorEventLoop extends MultiThreadIoEventLoopGroup {
  private static final int ANY = 0;

  private final ChannelHandler gate;

  private AcceptorEventLoop(String threads, IoHandlerFactory factory, ChannelHandler gate) {
    super(1, ThreadFactories.newThreadFactory(threads, false), factory);
    this.gate = gate;
  }

  /// @param gate sees accepted connections first
  static EventLoopGroup named(String threads, ChannelHandler gate) {
    return new AcceptorEventLoop(threads, transport(ANY), gate);
  }

  /// The transport of all event loops of a server, as a connection may move among them.
  ///
  /// @param atOnce connections that a loop reads before it does something else, on Linux; 0 for as
  ///   many as there are
  static IoHandlerFactory transport(int atOnce) {
    return Flags.transportType() == TransportType.EPOLL
        ? EpollIoHandler.newFactory(atOnce, DefaultSelectStrategyFactory.INSTANCE)
        : NioIoHandler.newFactory();
  }

  /// Called with the channel that accepts.
  @Override
  public ChannelFuture register(Channel acceptor) {
    acceptor.pipeline().addFirst(gate);
    return super.register(acceptor);
  }

  @Override
  public Future<?> shutdownGracefully() {
    return shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
