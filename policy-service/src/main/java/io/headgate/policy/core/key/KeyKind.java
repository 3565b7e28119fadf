package io.headgate.policy.core.key;

import io.headgate.policy.core.identity.KeyOwner;
import java.util.Optional;

/// The purpose of a secret. It is part of the secret's text, so that a person or a secret scanner
/// can recognise it.
public enum KeyKind {
  USER("user"),
  SERVICE_ACCOUNT("sa"),
  NODE("node"),
  SERVICE("svc"),
  OPERATOR("op"),
  /// Lets machines join; it belongs to no principal.
  JOIN("join");

  private final String word;

  KeyKind(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }

  public static KeyKind of(KeyOwner owner) {
    return switch (owner) {
      case KeyOwner.OfUser(_, _) -> USER;
      case KeyOwner.OfServiceAccount(_, _) -> SERVICE_ACCOUNT;
      case KeyOwner.OfNode(_, _) -> NODE;
      case KeyOwner.OfService(_) -> SERVICE;
      case KeyOwner.OfOperator(_) -> OPERATOR;
    };
  }

  public static Optional<KeyKind> ofWord(String word) {
    for (KeyKind kind : values()) {
      if (kind.word.equals(word)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
