package io.headgate.kit.grpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// Measures the processor time that strangers' threads spend on a connection: its handshake, its
/// frames and the check of its token. It belongs first into the pipeline. A connection that turns
/// out to be good [gives it back][#giveBack] once.
///
/// As a handler it is confined to the event loop; otherwise thread-safe.
final class ConnectionCost extends ChannelInboundHandlerAdapter {
  /// The most that is given back. An ordinary connection costs about a millisecond with TLS, and
  /// many times that in a new process.
  static final Duration MOST = Duration.ofMillis(20);

  private static final AttributeKey<ConnectionCost> KEY =
      AttributeKey.valueOf(ConnectionCost.class, "OF");

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicBoolean isGivenBack = new AtomicBoolean();

  private ConnectionCost() {}

  /// The handler for a new connection.
  static ConnectionCost begin(Channel channel) {
    ConnectionCost cost = new ConnectionCost();
    channel.attr(KEY).set(cost);
    return cost;
  }

  static Optional<ConnectionCost> of(Channel channel) {
    return Optional.ofNullable(channel.attr(KEY).get());
  }

  void add(long more) {
    nanos.addAndGet(more);
  }

  /// Gives back to the share what the connection has cost so far; nothing the next time.
  void giveBack(ProcessorShare share) {
    if (isGivenBack.compareAndSet(false, true)) {
      share.giveBack(Math.min(nanos.get(), MOST.toNanos()));
    }
  }

  boolean isGivenBack() {
    return isGivenBack.get();
  }

  /// Measures no more. Called on the event loop.
  void end(Channel channel) {
    if (channel.pipeline().context(this) != null) {
      channel.pipeline().remove(this);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    long begun = ProcessorShare.nanosOfThread();
    context.fireChannelRead(message);
    add(ProcessorShare.nanosOfThread() - begun);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    long begun = ProcessorShare.nanosOfThread();
    context.fireChannelReadComplete();
    add(ProcessorShare.nanosOfThread() - begun);
  }
}
