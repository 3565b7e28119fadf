package io.headgate.kit.telemetry;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;

/// Admits scrapes with `authorization: Bearer TOKEN`. The metrics name tenants, policies and nodes,
/// and a job reaches the loopback addresses of its machine.
final class ScrapeToken extends Authenticator {
  private static final int RANDOM_BYTES = 32;
  private static final String SCHEME = "Bearer ";
  private static final int UNAUTHORIZED = 401;
  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private final byte[] token;

  private ScrapeToken(String token) {
    this.token = token.getBytes(StandardCharsets.UTF_8);
  }

  /// The token in `file`, which is created with a random one if it is absent.
  ///
  /// @throws IllegalArgumentException if the file is empty or others may read it
  static ScrapeToken of(Path file) {
    try {
      create(file);
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
      if (!OWNER_ONLY.containsAll(permissions)) {
        throw new IllegalArgumentException(
            "metrics-token-file: %s has mode %s; only its owner may read it: chmod 600 %s"
                .formatted(file, PosixFilePermissions.toString(permissions), file));
      }
      String token = Files.readString(file).strip();
      if (token.isEmpty()) {
        throw new IllegalArgumentException("metrics-token-file: " + file + " is empty");
      }
      return new ScrapeToken(token);
    } catch (IOException e) {
      throw new UncheckedIOException("metrics-token-file: cannot use " + file, e);
    }
  }

  private static void create(Path file) throws IOException {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try (var channel =
        Files.newByteChannel(
            file,
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
      String line = HexFormat.of().formatHex(random) + "\n";
      channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
    } catch (FileAlreadyExistsException _) {
      // The token of an earlier start, or of the operator.
    }
  }

  @Override
  public Result authenticate(HttpExchange exchange) {
    String header = exchange.getRequestHeaders().getFirst("Authorization");
    boolean isGood =
        header != null
            && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
            && MessageDigest.isEqual(
                header.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8), token);
    if (isGood) {
      return new Success(new HttpPrincipal("scraper", "metrics"));
    }
    exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
    return new Failure(UNAUTHORIZED);
  }
}
