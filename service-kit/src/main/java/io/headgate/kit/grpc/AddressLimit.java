package io.headgate.kit.grpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/// Closes new connections from an address that has reached its limit.
final class AddressLimit {
  private final int limit;
  private final ConcurrentMap<InetAddress, Integer> open = new ConcurrentHashMap<>();

  AddressLimit(int limit) {
    this.limit = limit;
  }

  /// Counts the new connection of `pipeline` and closes it if it exceeds the limit.
  void accept(ChannelPipeline pipeline) {
    Channel channel = pipeline.channel();
    if (!(channel.remoteAddress() instanceof InetSocketAddress remote)) {
      return;
    }
    InetAddress address = remote.getAddress();
    int count = open.merge(address, 1, Integer::sum);
    channel.closeFuture().addListener(_ -> open.computeIfPresent(address, AddressLimit::less));
    if (count > limit) {
      var _ = channel.close();
    }
  }

  private static @Nullable Integer less(InetAddress address, int count) {
    return count == 1 ? null : count - 1;
  }
}
