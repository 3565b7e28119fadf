package io.headgate.kit.testing;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.config.ByteSize;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// Channels of tests.
public final class TestChannels {
  private TestChannels() {}

  /// The defaults for `server`, with the patience that a machine needs which does ten other things
  /// at once: what a test says about answers must not depend on how soon they come.
  public static ChannelConfig patient(URI server) {
    return new ChannelConfig(
        server,
        Optional.empty(),
        Duration.ofMinutes(2),
        Duration.ofSeconds(20),
        ByteSize.ofMebibytes(16));
  }

  /// A channel that takes 64 KiB of each stream in advance, where others take megabytes. Unread
  /// messages then stay with the server, and not with the test.
  public static ManagedChannel narrow(URI server, String token) {
    return NettyChannelBuilder.forAddress(server.getHost(), server.getPort())
        .usePlaintext()
        .flowControlWindow(64 << 10)
        .intercept(MetadataUtils.newAttachHeadersInterceptor(bearer(token)))
        .build();
  }

  /// A channel that sends each call once, so that a test knows which call had an effect.
  public static ManagedChannel withoutRetries(URI server, String token) {
    return NettyChannelBuilder.forAddress(server.getHost(), server.getPort())
        .usePlaintext()
        .disableRetry()
        .intercept(MetadataUtils.newAttachHeadersInterceptor(bearer(token)))
        .build();
  }

  private static Metadata bearer(String token) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return headers;
  }
}
