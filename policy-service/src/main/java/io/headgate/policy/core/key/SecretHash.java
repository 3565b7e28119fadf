package io.headgate.policy.core.key;

/// The stored SHA-256 of a secret, in hexadecimal.
///
/// A slow hash such as Argon2 makes guessing *words* expensive; 256 random bits cannot be guessed
/// at any speed. A fast hash lets thousands of nodes renew their tokens without a queue.
public record SecretHash(String hex) {}
