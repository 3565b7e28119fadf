package io.headgate.sdk.wire;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.ServerAddress;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/// HTTP/2 over netty, with one event loop of its own.
///
/// A loop of its own can be closed at once. A JVM that exits while a thread sits in a native call
/// waits 300 ms for it, longer than the rest of a short command.
final class Transport implements AutoCloseable {
  private static final int MAX_MESSAGE_BYTES = 16 << 20;

  private final List<ManagedChannel> channels;
  private final FailoverChannel channel;
  private final EventLoopGroup loop;

  private Transport(List<ManagedChannel> channels, EventLoopGroup loop) {
    this.channels = List.copyOf(channels);
    this.channel = new FailoverChannel(this.channels);
    this.loop = loop;
  }

  static Transport open(ClientConfig config) {
    EventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("headgate-client", true), NioIoHandler.newFactory());
    List<ManagedChannel> channels = new ArrayList<>();
    channels.add(open(config, config.server(), loop));
    config.others().forEach(other -> channels.add(open(config, other, loop)));
    return new Transport(channels, loop);
  }

  private static ManagedChannel open(
      ClientConfig config, ServerAddress server, EventLoopGroup loop) {
    NettyChannelBuilder builder =
        builder(server)
            .channelType(NioSocketChannel.class)
            .eventLoopGroup(loop)
            .directExecutor()
            .disableServiceConfigLookUp()
            .disableRetry() // The connection retries, as the contract says.
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .keepAliveTime(60, TimeUnit.SECONDS)
            .userAgent(config.userAgent());
    secure(builder, config);
    return builder.build();
  }

  private static NettyChannelBuilder builder(ServerAddress server) {
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(server.host());
    return literal == null
        ? NettyChannelBuilder.forAddress(server.host(), server.port())
        : NettyChannelBuilder.forAddress(new InetSocketAddress(server.host(), server.port()));
  }

  private static void secure(NettyChannelBuilder builder, ClientConfig config) {
    if (!config.server().encrypted()) {
      builder.usePlaintext();
    } else {
      SslContextBuilder tls = GrpcSslContexts.forClient().protocols("TLSv1.3");
      try {
        if (config.certificateAuthority() != null) {
          tls.trustManager(config.certificateAuthority().toFile());
        }
        builder.sslContext(tls.build());
      } catch (SSLException | IllegalArgumentException e) {
        throw new UncheckedIOException(
            new IOException(
                "\"%s\" is not a PEM file of certificates".formatted(config.certificateAuthority()),
                e));
      }
    }
  }

  Channel channel() {
    return channel;
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    try {
      for (ManagedChannel each : channels) {
        each.awaitTermination(1, TimeUnit.SECONDS);
      }
      loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The loop's thread is a daemon.
    }
  }
}
