package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.grpc.Connections.Connection;
import io.headgate.kit.time.TimeSource;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Requests of HTTP/1.1, as Netty decodes them.
class Http1BudgetTest {
  /// Some more come back with time while the test runs.
  private static final int MANY = 10 * FrameBudget.MOST;

  private final TimeSource time = TimeSource.system();
  private final Connections connections = new Connections(10, 10, time);
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @BeforeEach
  void connect() {
    connections.admit(channel, InetAddress.ofLiteral("10.0.0.1"));
    channel.pipeline().addLast(new Http1Budget(connection(), time));
  }

  private Connection connection() {
    return Connections.of(channel).orElseThrow();
  }

  private void request() {
    channel.writeInbound(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/v1/jobs"));
  }

  private void answer(HttpResponseStatus status) {
    channel.writeOutbound(new DefaultHttpResponse(HttpVersion.HTTP_1_1, status));
  }

  @Test
  void aProvenClientThatWaitsForItsAnswersIsServedWithoutEnd() {
    connection().prove("ada");
    for (int i = 0; i < MANY; i++) {
      request();
      answer(HttpResponseStatus.CONTINUE);
      answer(HttpResponseStatus.OK);
    }
    assertThat(channel.isOpen()).isTrue();
    assertThat(connections.cut()).isZero();
  }

  @Test
  void aProvenClientThatDoesNotWaitIsCut() {
    connection().prove("ada");
    for (int i = 0; i < MANY && channel.isOpen(); i++) {
      request();
    }
    assertThat(channel.isOpen()).isFalse();
    assertThat(connections.cut()).isOne();
  }

  @Test
  void anUnprovenClientIsCutThoughItWaits() {
    for (int i = 0; i < MANY && channel.isOpen(); i++) {
      request();
      if (channel.isOpen()) {
        answer(HttpResponseStatus.UNAUTHORIZED);
      }
    }
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aLargeBodyIsNoFloodUnlessItComesInTinyPieces() {
    request();
    for (int i = 0; i < MANY; i++) {
      channel.writeInbound(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[64])));
    }
    assertThat(channel.isOpen()).isTrue();
    for (int i = 0; i < MANY && channel.isOpen(); i++) {
      channel.writeInbound(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[1])));
    }
    assertThat(channel.isOpen()).isFalse();
  }
}
