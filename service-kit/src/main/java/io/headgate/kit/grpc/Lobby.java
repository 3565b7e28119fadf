package io.headgate.kit.grpc;

import io.headgate.kit.auth.TokenVerifier;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundInvoker;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Holds what a new connection says until its [first call][FirstCall] shows whether its token is
/// good. Then it hands everything on, in order, and leaves. A connection with a good token goes on
/// another event loop, every other one stays on the [loop of strangers][StrangersLoop].
///
/// A connection can change its loop only while nothing else is bound to the old one. So the lobby
/// lets Armeria make the handlers of HTTP/2 and HTTP/1.1 afterwards:
///
/// - Without TLS it takes Armeria's initializer out of the pipeline before it has run, and puts it
///   back at the end. It belongs first into the pipeline of a connection that has no loop yet.
/// - With TLS it holds back the end of the handshake, which makes these handlers. It belongs
///   between the handlers of TLS and of protocol negotiation.
///
/// Clients of gRPC make no call before they have seen SETTINGS, so the lobby sends those of the
/// server. The server sends them again, and an acknowledgement of either counts.
///
/// Confined to the event loop of its connection.
final class Lobby extends ChannelDuplexHandler {
  /// The time for a first call, from the end of the handshake. Afterwards the connection stays, as
  /// soon as the loop has read all that clients had sent by then.
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration LOOK = Duration.ofMillis(100);
  private static final int MOST_LOOKS = 50;

  /// Shorter messages are gathered, because each that is held takes an object.
  private static final int SHORT = 256;

  private final Rules rules;
  private final FirstCall call = new FirstCall();
  private final List<Object> held = new ArrayList<>();
  private @Nullable ChannelHandler initializer;
  private @Nullable Future<?> end;
  private @Nullable ByteBuf gathered; // the last held message, made of short ones
  private boolean isHolding;
  private boolean hasGreeted;
  private boolean isHeard; // the first call, as far as the lobby reads it
  private boolean isDecided;

  /// Values that all connections of a server share.
  ///
  /// @param maxStreams for the settings that the lobby sends
  /// @param patience time for a first call
  record Rules(
      StrangersLoop strangers,
      TokenVerifier verifier,
      int maxStreams,
      Duration patience,
      boolean isTls) {}

  Lobby(Rules rules) {
    this.rules = rules;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    rules.strangers().arrived();
    if (!rules.isTls()) {
      initializer = context.pipeline().removeLast();
      begin(context);
    }
  }

  private void begin(ChannelHandlerContext context) {
    isHolding = true;
    schedule(
        context, () -> expire(context, rules.strangers().rounds(), MOST_LOOKS), rules.patience());
  }

  private void schedule(ChannelHandlerContext context, Runnable what, Duration delay) {
    end = context.executor().schedule(what, delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// The first call may have come in time and lie unread, because the loop paused.
  ///
  /// @param rounds of the loop until the time was over
  private void expire(ChannelHandlerContext context, long rounds, int looks) {
    if (looks == 0 || rules.strangers().rounds() > rounds) {
      stay(context);
    } else {
      schedule(context, () -> expire(context, rounds, looks - 1), LOOK);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (!isHolding
        && event instanceof SslHandshakeCompletionEvent handshake
        && handshake.isSuccess()) {
      begin(context);
    }
    if (isHolding) {
      gathered = null;
      held.add(event);
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!isHolding) {
      context.fireChannelRead(message);
      return;
    }
    if (!(message instanceof ByteBuf bytes)) {
      gathered = null;
      held.add(message);
      return;
    }
    boolean isNews = !isHeard;
    if (isNews) {
      isHeard = call.hear(bytes);
    }
    hold(bytes, context);
    if (!isNews) {
      return;
    }
    if (call.isHttp2() && !hasGreeted) {
      hasGreeted = true;
      var _ = context.writeAndFlush(settings(context));
    }
    if (isHeard) {
      decide(context);
    }
  }

  private void hold(ByteBuf bytes, ChannelHandlerContext context) {
    int length = bytes.readableBytes();
    if (length > SHORT) {
      gathered = null;
      held.add(bytes);
      return;
    }
    ByteBuf last = gathered;
    if (last == null || last.writableBytes() < length) {
      last = context.alloc().buffer(SHORT);
      last.writeBytes(bytes);
      held.add(last);
    } else {
      last.writeBytes(bytes);
    }
    gathered = last;
    bytes.release();
  }

  /// Messages that it holds.
  int held() {
    return held.size();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (!isHolding) {
      context.fireChannelReadComplete();
    }
  }

  private ByteBuf settings(ChannelHandlerContext context) {
    int length = 2 * Http2CodecUtil.SETTING_ENTRY_LENGTH;
    ByteBuf frame = context.alloc().buffer(Http2CodecUtil.FRAME_HEADER_LENGTH + length);
    Http2CodecUtil.writeFrameHeader(frame, length, Http2FrameTypes.SETTINGS, new Http2Flags(), 0);
    return frame
        .writeShort(Http2CodecUtil.SETTINGS_MAX_CONCURRENT_STREAMS)
        .writeInt(rules.maxStreams())
        .writeShort(Http2CodecUtil.SETTINGS_MAX_HEADER_LIST_SIZE)
        .writeInt(FirstCall.MOST_HEADERS);
  }

  private void decide(ChannelHandlerContext context) {
    if (call.token().isEmpty()) {
      stay(context);
      return;
    }
    String token = call.token().get();
    if (rules.verifier().recent(token).isPresent()) {
      // Known, and so quick to check: it may have expired or been revoked since.
      decide(context, rules.verifier().refusal(token).isEmpty());
      return;
    }
    cancelEnd();
    context.channel().config().setAutoRead(false);
    var _ =
        rules
            .strangers()
            .checks()
            .check(
                token,
                nanos -> ConnectionCost.of(context.channel()).ifPresent(cost -> cost.add(nanos)))
            .whenComplete((refusal, failure) -> {
              // The caller gets the reason as the answer to its call.
              boolean isGood = failure == null && refusal.isEmpty();
              try {
                context.executor().execute(() -> decide(context, isGood));
              } catch (RejectedExecutionException e) {
                // The server has stopped, and has closed the connection.
              }
            });
  }

  private void decide(ChannelHandlerContext context, boolean isGood) {
    if (isGood) {
      leave(context);
    } else {
      stay(context);
    }
  }

  private void stay(ChannelHandlerContext context) {
    if (mayDecide(context)) {
      handOn(context);
    }
  }

  private void leave(ChannelHandlerContext context) {
    if (!mayDecide(context)) {
      return;
    }
    Channel channel = context.channel();
    EventLoop old = channel.eventLoop();
    EventLoop next = rules.strangers().leave(channel);
    channel.config().setAutoRead(false);
    var _ =
        channel
            .deregister()
            // After all that the old loop still has to do. It registers the connection on its own
            // thread, so that none of its tasks runs beside the next loop.
            .addListener(_ -> old.execute(() -> enter(context, next)));
  }

  private void enter(ChannelHandlerContext context, EventLoop next) {
    var _ =
        next.register(context.channel())
            .addListener(registered -> {
              if (registered.isSuccess()) {
                next.execute(() -> handOn(context));
              } else {
                closed(context);
              }
            });
  }

  /// A close that was meant for the old loop may arrive after the move, and the next loop is at
  /// work then.
  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    if (context.executor().inEventLoop()) {
      var _ = context.close(promise);
    } else {
      context
          .executor()
          .execute(() -> {
            var _ = context.close(promise);
          });
    }
  }

  /// The connection was closed while it had no loop, and so without a word to its handlers.
  private void closed(ChannelHandlerContext context) {
    forget();
    context.channel().unsafe().closeForcibly();
    context.pipeline().fireChannelInactive();
    context.pipeline().fireChannelUnregistered();
  }

  private boolean mayDecide(ChannelHandlerContext context) {
    if (isDecided || context.isRemoved() || !context.channel().isActive()) {
      return false;
    }
    isDecided = true;
    cancelEnd();
    return true;
  }

  private void handOn(ChannelHandlerContext context) {
    if (context.isRemoved() || !context.channel().isActive()) {
      forget(); // closed on its way to the other loop
      return;
    }
    List<Object> all = List.copyOf(held);
    held.clear();
    gathered = null;
    if (initializer == null) {
      // Before the rest of the pipeline runs, which may stop it again.
      context.channel().config().setAutoRead(true);
      all.forEach(each -> handOn(each, context));
      context.fireChannelReadComplete();
      context.pipeline().remove(this);
    } else {
      ChannelPipeline pipeline = context.pipeline();
      pipeline.remove(this);
      pipeline.addLast(initializer);
      context.channel().config().setAutoRead(true);
      all.forEach(each -> handOn(each, pipeline));
      pipeline.fireChannelReadComplete();
    }
  }

  private static void handOn(Object each, ChannelInboundInvoker to) {
    if (each instanceof ByteBuf) {
      to.fireChannelRead(each);
    } else {
      to.fireUserEventTriggered(each);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    forget();
    context.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    rules.strangers().departed();
    forget();
  }

  private void forget() {
    cancelEnd();
    held.forEach(ReferenceCountUtil::release);
    held.clear();
    gathered = null;
  }

  private void cancelEnd() {
    @Nullable Future<?> scheduled = end;
    if (scheduled != null) {
      var _ = scheduled.cancel(false);
    }
  }

  /// Without TLS, no other handler is there yet to end a broken connection.
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (initializer == null) {
      context.fireExceptionCaught(cause);
    } else {
      var _ = context.close();
    }
  }
}
