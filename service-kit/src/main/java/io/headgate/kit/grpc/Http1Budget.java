package io.headgate.kit.grpc;

import io.headgate.kit.grpc.Connections.Connection;
import io.headgate.kit.time.TimeSource;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;

/// Ends an HTTP/1.1 connection that sends requests faster than an honest client does: without
/// waiting for answers (pipelining), without a good token, or in tiny pieces.
///
/// | what the client sends | units |
/// |---|---|
/// | a request | 1, and 1 for each 256 bytes of its address and headers |
/// | a request on a [suspect][Connection#isSuspect] connection | at least 20 |
/// | a piece of a body of less than 64 bytes, but for the last one | 1 |
///
/// The units come back with time as those of a [FrameBudget] do. On a [proven][Connections]
/// connection the units of a request come back with its answer, too. The handler stands behind
/// Netty's decoder, and so counts the requests that the server sees. Confined to the event loop of
/// its connection.
final class Http1Budget extends ChannelDuplexHandler {
  private static final int PER_SECOND = 100;
  private static final int SUSPECT_UNITS = 20;
  private static final int BYTES_PER_UNIT = 256;
  private static final int SMALL_PIECE = 64;

  private final Connection connection;
  private final TimeSource time;
  private final Allowance allowance;
  private final Queue<Integer> unanswered = new ArrayDeque<>();
  private boolean isCut;

  Http1Budget(Connection connection, TimeSource time) {
    this.connection = connection;
    this.time = time;
    this.allowance = new Allowance(FrameBudget.MOST, PER_SECOND, time.monotonicNanos());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    long now = time.monotonicNanos();
    int units = units(message, now);
    if (!isCut && units > 0 && !allowance.use(units, now)) {
      isCut = true;
      connection.flooded();
      var _ = context.close();
    }
    if (isCut) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest) {
      unanswered.add(units);
    }
    context.fireChannelRead(message);
  }

  private int units(Object message, long now) {
    if (message instanceof HttpRequest request) {
      int least = connection.isSuspect(now) ? SUSPECT_UNITS : 1;
      return Math.max(least, 1 + bytes(request) / BYTES_PER_UNIT);
    }
    if (message instanceof HttpContent content && !(message instanceof LastHttpContent)) {
      return content.content().readableBytes() < SMALL_PIECE ? 1 : 0;
    }
    return 0;
  }

  private static int bytes(HttpRequest request) {
    int bytes = request.uri().length();
    for (Map.Entry<String, String> header : request.headers()) {
      bytes += header.getKey().length() + header.getValue().length();
    }
    return bytes;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse response
        && response.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
      Integer units = unanswered.poll();
      if (units != null && connection.isProven()) {
        allowance.giveBack(units);
      }
    }
    var _ = context.write(message, promise);
  }
}
