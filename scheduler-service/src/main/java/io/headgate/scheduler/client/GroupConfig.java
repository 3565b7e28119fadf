package io.headgate.scheduler.client;

import io.headgate.kit.config.Setting;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/// The group through which schedulers notice each other's end at once.
public record GroupConfig(
    @Setting(
            meaning =
                "Address of this scheduler in the group. Members prove a secret that they keep in"
                    + " the database; what they say is not encrypted.",
            bound = "ip:port of a loopback or private interface",
            absent = "no group: a leader that dies is waited for until its lease ends")
        Optional<String> address,
    @Setting(
            meaning =
                "Address at which the other schedulers reach `address`, if a " + "network maps it.",
            bound = "ip:port",
            absent = "the same as `address`")
        Optional<String> advertisedAddress,
    @Setting(
            meaning =
                "Addresses of all schedulers in the group; this one's may be " + "among them.",
            bound = "host:port")
        List<String> members) {
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
