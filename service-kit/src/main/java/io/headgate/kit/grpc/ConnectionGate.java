package io.headgate.kit.grpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Decides on new connections before anything is made for them. It belongs first into the pipeline
/// of the channel that accepts them, and runs on the event loop of that channel only.
///
/// Connections of an address that has used up its [allowance][ClientAddress] wait here, unread, in
/// the order of their arrival. A connection that its client has closed meanwhile is dropped, at the
/// cost of one system call. So a job that connects again and again delays the agent at its address
/// by a moment, and does not keep it out.
final class ConnectionGate extends ChannelInboundHandlerAdapter {
  private static final int MOST_OF_ADDRESS = 128;
  private static final int MOST = 1024;
  private static final long TICK_MILLIS = 25;

  /// How often a closed one among those that wait is looked for before a live one is given up.
  private static final int LOOKS = 4;

  /// TCP_ESTABLISHED of Linux.
  private static final int ESTABLISHED = 1;

  private final Connections connections;
  private final Consumer<Channel> admitted;
  private final Map<InetAddress, List<Channel>> waiting = new HashMap<>();
  private int count;
  private boolean isTicking;

  /// @param admitted sees each admitted connection before the server does
  ConnectionGate(Connections connections, Consumer<Channel> admitted) {
    this.connections = connections;
    this.admitted = admitted;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof Channel channel
        && channel.remoteAddress() instanceof InetSocketAddress remote) {
      InetAddress network = ClientAddress.network(remote.getAddress());
      if (waiting.containsKey(network)) {
        await(context, channel, network);
        return;
      }
      switch (connections.admit(channel, network)) {
        case ADMITTED -> enter(context, channel);
        case LATER -> await(context, channel, network);
        case REFUSED -> drop(channel);
      }
    } else {
      context.fireChannelRead(message);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    waiting.values().forEach(each -> each.forEach(this::drop));
    waiting.clear();
    context.fireChannelInactive();
  }

  private void enter(ChannelHandlerContext context, Channel channel) {
    admitted.accept(channel);
    context.fireChannelRead(channel);
  }

  private void await(ChannelHandlerContext context, Channel channel, InetAddress network) {
    List<Channel> others = waiting.computeIfAbsent(network, _ -> new ArrayList<>());
    if (others.size() >= MOST_OF_ADDRESS) {
      drop(others.remove(leastHopeful(others)));
      count--;
    } else if (count >= MOST) {
      drop(channel);
      return;
    }
    others.add(channel);
    count++;
    tick(context);
  }

  /// A closed one if there are many, else any.
  private static int leastHopeful(List<Channel> channels) {
    int index = 0;
    for (int i = 0; i < LOOKS; i++) {
      index = ThreadLocalRandom.current().nextInt(channels.size());
      if (!isOpen(channels.get(index))) {
        return index;
      }
    }
    return index;
  }

  private void tick(ChannelHandlerContext context) {
    if (!isTicking) {
      isTicking = true;
      var _ =
          context
              .executor()
              .schedule(
                  () -> {
                    isTicking = false;
                    admitWaiting(context);
                  },
                  TICK_MILLIS,
                  TimeUnit.MILLISECONDS);
    }
  }

  private void admitWaiting(ChannelHandlerContext context) {
    Iterator<Map.Entry<InetAddress, List<Channel>>> each = waiting.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<InetAddress, List<Channel>> address = each.next();
      int done = 0;
      for (Channel channel : address.getValue()) {
        if (!isOpen(channel)) {
          drop(channel);
        } else {
          Connections.Answer answer = connections.admit(channel, address.getKey());
          if (answer == Connections.Answer.LATER) {
            break;
          }
          if (answer == Connections.Answer.ADMITTED) {
            enter(context, channel);
          } else {
            drop(channel);
          }
        }
        done++;
      }
      count -= done;
      address.getValue().subList(0, done).clear();
      if (address.getValue().isEmpty()) {
        each.remove();
      }
    }
    context.fireChannelReadComplete();
    if (!waiting.isEmpty()) {
      tick(context);
    }
  }

  /// Whether the client has not closed it; known on Linux only.
  private static boolean isOpen(Channel channel) {
    try {
      return !(channel instanceof EpollSocketChannel socket)
          || socket.tcpInfo().state() == ESTABLISHED;
    } catch (ChannelException e) {
      return false;
    }
  }

  private void drop(Channel channel) {
    connections.dropped();
    // Without a rest that the kernel would have to keep.
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    channel.unsafe().closeForcibly();
  }
}
