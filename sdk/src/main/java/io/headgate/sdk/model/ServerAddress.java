package io.headgate.sdk.model;

import java.net.URI;
import java.net.URISyntaxException;

/// The address of a server, and whether the connection is encrypted.
public record ServerAddress(String host, int port, boolean encrypted) {
  public static final int DEFAULT_PORT = 7400;

  /// Reads `https://gate.acme.example:7400`, `http://127.0.0.1:7400`. Without a scheme the
  /// connection is encrypted, except to this machine.
  ///
  /// @throws IllegalArgumentException when the text is no address; the message shows the form
  public static ServerAddress parse(String text) {
    boolean bare = !text.contains("://");
    URI uri;
    try {
      uri = new URI(bare ? "https://" + text : text);
    } catch (URISyntaxException e) {
      throw refusal(text);
    }
    String host = uri.getHost();
    String scheme = uri.getScheme();
    boolean known = scheme != null && (scheme.equals("http") || scheme.equals("https"));
    String path = uri.getPath() == null ? "" : uri.getPath();
    if (host == null
        || !known
        || uri.getUserInfo() != null
        || !(path.isEmpty() || path.equals("/"))) {
      throw refusal(text);
    }
    boolean encrypted = scheme.equals("https") && !(bare && isLoopback(host));
    return new ServerAddress(host, uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(), encrypted);
  }

  private static IllegalArgumentException refusal(String text) {
    return new IllegalArgumentException(
        "\""
            + text
            + "\" is not a server address; write for example https://gate.acme.example:7400");
  }

  /// Whether it reaches only servers of the machine on which it is used.
  public boolean isLoopback() {
    return isLoopback(host);
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
  }

  @Override
  public String toString() {
    return (encrypted ? "https://" : "http://") + host + ":" + port;
  }
}
