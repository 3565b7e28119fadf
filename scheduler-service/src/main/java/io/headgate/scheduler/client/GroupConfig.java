package io.headgate.scheduler.client;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/// The group through which schedulers notice each other's end at once.
///
/// @param address own, `ip:port` of a loopback or private interface, because nothing protects the
///   group's traffic; absent: no group, so followers notice a dead leader only when its lease is
///   over
/// @param advertisedAddress `ip:port` at which the others reach it, where a network between them
///   maps `address` to another; absent: `address`
/// @param members of all schedulers, `host:port`, this one's may be among them
public record GroupConfig(
    Optional<String> address, Optional<String> advertisedAddress, List<String> members) {
  public static final GroupConfig DEFAULTS =
      new GroupConfig(Optional.empty(), Optional.empty(), List.of());

  public GroupConfig {
    members = List.copyOf(members);
    address.ifPresent(GroupConfig::requirePrivate);
    advertisedAddress.ifPresent(GroupConfig::parse);
    members.forEach(GroupConfig::parse);
    if (address.isEmpty() && !members.isEmpty()) {
      throw new IllegalArgumentException("address: required when members are configured");
    }
  }

  private static void requirePrivate(String address) {
    InetAddress host = literal(parse(address).getHost(), address);
    // fc00::/7 is the private space of IPv6, which the JDK knows by its older name only.
    boolean isPrivate =
        host.isLoopbackAddress()
            || host.isSiteLocalAddress()
            || host.isLinkLocalAddress()
            || (host instanceof Inet6Address && (host.getAddress()[0] & 0xfe) == 0xfc);
    if (!isPrivate) {
      throw new IllegalArgumentException(
          "address: of a loopback or private interface, not '" + address + "'");
    }
  }

  private static InetAddress literal(String host, String address) {
    try {
      // With a name, the look-up would decide to which hosts the port is open.
      if (!host.matches("[0-9.]+|\\[[0-9A-Fa-f:.]+]")) {
        throw new UnknownHostException(host);
      }
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("address: write ip:port, not '" + address + "'", e);
    }
  }

  private static URI parse(String address) {
    try {
      URI uri = new URI("group://" + address).parseServerAuthority();
      if (uri.getHost() == null || uri.getPort() < 1 || !uri.getAuthority().equals(address)) {
        throw new URISyntaxException(address, "no host or no port");
      }
      return uri;
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("write host:port, not '" + address + "'", e);
    }
  }

  String host() {
    String host = parse(address.orElseThrow()).getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  int port() {
    return parse(address.orElseThrow()).getPort();
  }
}
