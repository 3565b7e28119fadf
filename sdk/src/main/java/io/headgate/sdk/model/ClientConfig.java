package io.headgate.sdk.model;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How to reach a server, as whom, and with how much patience.
///
/// @param others further addresses of the same installation, as encrypted as the first; the next
///   one is used when one cannot be reached
/// @param certificateAuthority PEM file of the authority that signed the server's certificate;
///   null: the system's authorities
/// @param deadline of one call with all its retries
/// @param patience how long a server that cannot be reached at all is tried, at most the deadline
/// @param resumeFor how long a stream that broke is tried again before it is given up
/// @param userAgent names the program in the server's logs
public record ClientConfig(
    ServerAddress server,
    List<ServerAddress> others,
    Credentials credentials,
    @Nullable Path certificateAuthority,
    Duration deadline,
    Duration patience,
    Duration resumeFor,
    Backoff backoff,
    String userAgent) {
  public static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(30);

  public static final Duration DEFAULT_RESUME_FOR = Duration.ofHours(1);

  public ClientConfig {
    others = List.copyOf(others);
    for (ServerAddress each : others) {
      if (each.encrypted() != server.encrypted()) {
        throw new IllegalArgumentException(
            "%s and %s: one is encrypted, the other is not".formatted(server, each));
      }
    }
  }

  /// Everything else at its default.
  public static ClientConfig of(ServerAddress server, Credentials credentials) {
    return new ClientConfig(
        server,
        List.of(),
        credentials,
        null,
        DEFAULT_DEADLINE,
        DEFAULT_DEADLINE,
        DEFAULT_RESUME_FOR,
        Backoff.DEFAULT,
        "headgate-sdk");
  }

  public ClientConfig withOthers(List<ServerAddress> further) {
    return new ClientConfig(
        server,
        further,
        credentials,
        certificateAuthority,
        deadline,
        patience,
        resumeFor,
        backoff,
        userAgent);
  }

  public ClientConfig withCredentials(Credentials other) {
    return new ClientConfig(
        server,
        others,
        other,
        certificateAuthority,
        deadline,
        patience,
        resumeFor,
        backoff,
        userAgent);
  }

  public ClientConfig withCertificateAuthority(@Nullable Path file) {
    return new ClientConfig(
        server, others, credentials, file, deadline, patience, resumeFor, backoff, userAgent);
  }

  public ClientConfig withDeadline(Duration limit) {
    return new ClientConfig(
        server,
        others,
        credentials,
        certificateAuthority,
        limit,
        patience,
        resumeFor,
        backoff,
        userAgent);
  }

  public ClientConfig withPatience(Duration limit) {
    return new ClientConfig(
        server,
        others,
        credentials,
        certificateAuthority,
        deadline,
        limit,
        resumeFor,
        backoff,
        userAgent);
  }

  public ClientConfig withResumeFor(Duration limit) {
    return new ClientConfig(
        server,
        others,
        credentials,
        certificateAuthority,
        deadline,
        patience,
        limit,
        backoff,
        userAgent);
  }

  public ClientConfig withBackoff(Backoff other) {
    return new ClientConfig(
        server,
        others,
        credentials,
        certificateAuthority,
        deadline,
        patience,
        resumeFor,
        other,
        userAgent);
  }

  public ClientConfig withUserAgent(String name) {
    return new ClientConfig(
        server,
        others,
        credentials,
        certificateAuthority,
        deadline,
        patience,
        resumeFor,
        backoff,
        name);
  }

  /// Pauses between retries: exponential backoff up to a longest pause. A random part of up to one
  /// half is subtracted from each, so that clients do not retry at the same time.
  public record Backoff(Duration first, Duration longest, double factor) {
    public static final Backoff DEFAULT =
        new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5), 1.7);

    public Backoff {
      if (first.isNegative() || longest.compareTo(first) < 0 || factor < 1) {
        throw new IllegalArgumentException(
            "pauses must grow: %s, %s, %s".formatted(first, longest, factor));
      }
    }
  }
}
