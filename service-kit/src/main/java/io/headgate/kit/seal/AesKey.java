package io.headgate.kit.seal;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// A key of AES-256-GCM. Each encryption draws a random nonce of 96 bits, so one key must encrypt
/// far fewer than 2^32 values. Thread-safe.
final class AesKey {
  /// Length of a key.
  static final int BYTES = 32;

  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BYTES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SecretKeySpec key;

  AesKey(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("a key has " + BYTES + " bytes, not " + bytes.length);
    }
    this.key = new SecretKeySpec(bytes, "AES");
  }

  static byte[] randomBytes() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  byte[] bytes() {
    return key.getEncoded();
  }

  /// Encrypts and authenticates `plain`, and authenticates `bound` with it.
  ///
  /// @return the header as it is, the nonce, the ciphertext and its tag
  byte[] encrypt(byte[] header, byte[] bound, byte[] plain) {
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    byte[] out = new byte[header.length + NONCE_BYTES + plain.length + TAG_BYTES];
    ByteBuffer.wrap(out).put(header).put(nonce);
    try {
      Cipher cipher = cipher(Cipher.ENCRYPT_MODE, nonce, 0);
      cipher.updateAAD(bound);
      cipher.doFinal(plain, 0, plain.length, out, header.length + NONCE_BYTES);
      return out;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + CIPHER, e);
    }
  }

  /// Decrypts a result of [#encrypt]; empty if it was changed, or made with another key or another
  /// `bound`.
  ///
  /// @param from index of the nonce
  Optional<byte[]> decrypt(byte[] sealed, int from, byte[] bound) {
    int begin = from + NONCE_BYTES;
    if (sealed.length < begin + TAG_BYTES) {
      return Optional.empty();
    }
    try {
      Cipher cipher = cipher(Cipher.DECRYPT_MODE, sealed, from);
      cipher.updateAAD(bound);
      return Optional.of(cipher.doFinal(sealed, begin, sealed.length - begin));
    } catch (AEADBadTagException _) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + CIPHER, e);
    }
  }

  private Cipher cipher(int mode, byte[] nonce, int from) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(CIPHER);
    cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce, from, NONCE_BYTES));
    return cipher;
  }
}
