package io.headgate.kit.auth;

import io.headgate.kit.position.WatchPosition;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The statement of a token about its making, for its revocation before its end.
///
/// @param key id of the key that was exchanged; empty: unknown
/// @param revocations position of the issuer's revocations when it looked up the bearer's rights
public record TokenStamp(String key, WatchPosition revocations) {
  private static final String KEY = "key";
  private static final String INCARNATION = "revocations";
  private static final String VERSION = "revocations_version";

  /// The stamp in the bearer's token. A token without one counts as made before every revocation.
  public static TokenStamp of(Principal bearer) {
    Map<String, String> attributes = bearer.attributes();
    return new TokenStamp(
        attributes.getOrDefault(KEY, ""),
        new WatchPosition(
            attributes.getOrDefault(INCARNATION, ""), version(attributes.get(VERSION))));
  }

  /// The bearer with this stamp.
  public Principal on(Principal bearer) {
    Map<String, String> attributes = new HashMap<>(bearer.attributes());
    attributes.put(KEY, key);
    attributes.put(INCARNATION, revocations.incarnation());
    attributes.put(VERSION, Long.toString(revocations.version()));
    return new Principal(
        bearer.subject(),
        bearer.role(),
        bearer.tenant(),
        bearer.node(),
        bearer.groups(),
        attributes);
  }

  private static long version(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    try {
      return Math.max(0, Long.parseLong(text));
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
