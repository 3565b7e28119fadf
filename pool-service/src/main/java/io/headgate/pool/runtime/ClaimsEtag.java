package io.headgate.pool.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.pool.core.node.Claims;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Tells claims of a node apart, also those that the node makes up to look like others.
public final class ClaimsEtag {
  private ClaimsEtag() {}

  /// 64 hexadecimal digits.
  public static String of(Claims claims) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(claims.toString().getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
