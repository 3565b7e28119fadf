package io.headgate.kit.grpc;

import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.failure.RefusalException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInboundInvoker;
import io.netty.channel.ChannelPipeline;
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
final class Lobby extends ChannelInboundHandlerAdapter {
  /// The time for a first call, from the end of the handshake. Afterwards the connection stays.
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Rules rules;
  private final FirstCall call = new FirstCall();
  private final List<Object> held = new ArrayList<>();
  private @Nullable ChannelHandler initializer;
  private @Nullable Future<?> end;
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
    if (!rules.isTls()) {
      initializer = context.pipeline().removeLast();
      begin(context);
    }
  }

  private void begin(ChannelHandlerContext context) {
    end =
        context
            .executor()
            .schedule(() -> stay(context), rules.patience().toMillis(), TimeUnit.MILLISECONDS);
  }

  private boolean isHolding() {
    return end != null;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (!isHolding()
        && event instanceof SslHandshakeCompletionEvent handshake
        && handshake.isSuccess()) {
      begin(context);
    }
    if (isHolding()) {
      held.add(event);
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!isHolding()) {
      context.fireChannelRead(message);
      return;
    }
    held.add(message);
    if (isHeard || !(message instanceof ByteBuf bytes)) {
      return;
    }
    isHeard = call.hear(bytes);
    if (call.isHttp2() && !hasGreeted) {
      hasGreeted = true;
      var _ = context.writeAndFlush(settings(context));
    }
    if (isHeard) {
      decide(context);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (!isHolding()) {
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
      decide(context, isGood(token));
      return;
    }
    context.channel().config().setAutoRead(false);
    rules
        .strangers()
        .checkers()
        .execute(() -> {
          boolean isGood = isGood(token);
          try {
            context.executor().execute(() -> decide(context, isGood));
          } catch (RejectedExecutionException e) {
            // The server has stopped, and has closed the connection.
          }
        });
  }

  private boolean isGood(String token) {
    try {
      var _ = rules.verifier().verify(token);
      return true;
    } catch (RefusalException e) {
      // The caller gets the reason as the answer to its call.
      return false;
    }
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
    EventLoop next = rules.strangers().leave();
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
    if (context.isRemoved()) {
      return; // closed on its way to the other loop
    }
    List<Object> all = List.copyOf(held);
    held.clear();
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
    forget();
  }

  private void forget() {
    cancelEnd();
    held.forEach(ReferenceCountUtil::release);
    held.clear();
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
