package io.headgate.kit.grpc;

import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.util.EventLoopGroups;
import com.linecorp.armeria.common.util.ThreadFactories;
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

  private AcceptorEventLoop(String threads, IoHandlerFactory factory) {
    super(1, ThreadFactories.newThreadFactory(threads, false), factory);
  }

  static EventLoopGroup named(String threads) {
    return switch (Flags.transportType()) {
      case EPOLL -> new AcceptorEventLoop(threads, EpollIoHandler.newFactory());
      case NIO -> new AcceptorEventLoop(threads, NioIoHandler.newFactory());
      default -> EventLoopGroups.newEventLoopGroup(1, threads);
    };
  }

  @Override
  public Future<?> shutdownGracefully() {
    return shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
