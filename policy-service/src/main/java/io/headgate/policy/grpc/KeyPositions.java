package io.headgate.policy.grpc;

import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.StoredJoinToken;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.runtime.port.KeyTable.Position;
import java.time.Instant;

/// Positions in the lists of keys and of join tokens, as page tokens hold them.
final class KeyPositions {
  private static final String SEPARATOR = " ";

  private KeyPositions() {}

  static String write(StoredKey key) {
    return key.lifetime().createdAt() + SEPARATOR + key.id();
  }

  static String write(StoredJoinToken token) {
    return token.createdAt() + SEPARATOR + token.id();
  }

  static Position read(String text) {
    String[] parts = text.split(SEPARATOR, 2);
    return new Position(Instant.parse(parts[0]), new KeyId(parts[1]));
  }
}
