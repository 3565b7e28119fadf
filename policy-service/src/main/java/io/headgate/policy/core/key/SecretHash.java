package io.headgate.policy.core.key;

/// What is stored of a secret: its SHA-256 in hexadecimal.
///
/// A slow hash such as Argon2 makes guessing *words* expensive; 256 random bits cannot be guessed
/// at any speed, and a fast hash lets thousands of nodes renew their tokens without a queue.
public record SecretHash(String hex) {}
