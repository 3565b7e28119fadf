package io.headgate.policy.store;

import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.policy.runtime.port.Seal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Encrypts with AES-256-GCM under a key from a file, which the first start creates. The database
/// without the file reveals nothing.
///
/// Encrypted bytes: version (1), id of the key (8), nonce (12), ciphertext with its tag.
public final class FileSeal implements Seal {
  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final byte VERSION = 1;
  private static final int KEY_BYTES = 32;
  private static final int ID_BYTES = 8;
  private static final int NONCE_BYTES = 12;
  private static final int CODE_BITS = 128;
  private static final String FILE_NAME = "key-encryption-key";

  private final SecureRandom random;
  private final SecretKeySpec key;
  private final byte[] id;
  private final Path path;

  private FileSeal(byte[] key, Path path, SecureRandom random) {
    this.key = new SecretKeySpec(key, "AES");
    this.id = Arrays.copyOf(sha256(key), ID_BYTES);
    this.path = path;
    this.random = random;
  }

  /// Opens the key in `directory`; creates both if they are absent.
  public static FileSeal open(Path directory) {
    SecureRandom random = new SecureRandom();
    SecretFile file = new SecretFile(directory.resolve(FILE_NAME));
    String text =
        file.read()
            .orElseGet(() -> {
              byte[] fresh = new byte[KEY_BYTES];
              random.nextBytes(fresh);
              return file.writeIfAbsent(Base64.getEncoder().encodeToString(fresh));
            });
    return new FileSeal(decode(text, file.path()), file.path(), random);
  }

  @Override
  public String seal(String plain, String context) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] sealed =
        crypt(Cipher.ENCRYPT_MODE, nonce, plain.getBytes(StandardCharsets.UTF_8), context);
    ByteBuffer out = ByteBuffer.allocate(1 + ID_BYTES + NONCE_BYTES + sealed.length);
    out.put(VERSION).put(id).put(nonce).put(sealed);
    return Base64.getEncoder().encodeToString(out.array());
  }

  @Override
  public String open(String sealed, String context) {
    ByteBuffer in = ByteBuffer.wrap(Base64.getDecoder().decode(sealed));
    if (in.remaining() < 1 + ID_BYTES + NONCE_BYTES || in.get() != VERSION) {
      throw new IllegalStateException(context + " has an unknown form of encryption");
    }
    byte[] sealedBy = new byte[ID_BYTES];
    in.get(sealedBy);
    if (!Arrays.equals(sealedBy, id)) {
      throw new CannotStartException(
          context
              + " was encrypted with another key than that in "
              + path
              + ": put the file back that belongs to this database, or start once with"
              + " --replace-signing-keys");
    }
    byte[] nonce = new byte[NONCE_BYTES];
    in.get(nonce);
    byte[] rest = new byte[in.remaining()];
    in.get(rest);
    return new String(crypt(Cipher.DECRYPT_MODE, nonce, rest, context), StandardCharsets.UTF_8);
  }

  private byte[] crypt(int mode, byte[] nonce, byte[] input, String context) {
    try {
      Cipher cipher = Cipher.getInstance(CIPHER);
      cipher.init(mode, key, new GCMParameterSpec(CODE_BITS, nonce));
      cipher.updateAAD(context.getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(input);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(context + " was changed since it was encrypted", e);
    }
  }

  private static byte[] decode(String text, Path path) {
    try {
      byte[] key = Base64.getDecoder().decode(text);
      if (key.length == KEY_BYTES) {
        return key;
      }
    } catch (IllegalArgumentException _) {
      // Said below.
    }
    throw new CannotStartException(
        path
            + " does not hold "
            + KEY_BYTES
            + " bytes in base64: put the file back that belongs to the database");
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
