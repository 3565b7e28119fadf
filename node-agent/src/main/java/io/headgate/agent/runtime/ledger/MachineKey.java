package io.headgate.agent.runtime.ledger;

import io.headgate.agent.process.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.HexFormat;
import java.util.Optional;

/// The key pair of this machine, to which its node's key is bound. It is on disk, readable by its
/// owner only, before the machine asks to join. The private half is never sent. Thread-safe.
public final class MachineKey {
  private static final String FILE = "machine-key";
  private static final String PRIVATE = "private";
  private static final String PUBLIC = "public";
  private static final String ED25519 = "Ed25519";
  private static final HexFormat HEX = HexFormat.of();

  private final PrivateKey privateKey;
  private final byte[] publicKey;

  private MachineKey(PrivateKey privateKey, byte[] publicKey) {
    this.privateKey = privateKey;
    this.publicKey = publicKey;
  }

  /// The key pair kept in the data directory; a new one, which is kept from now on, if there is
  /// none: an agent of an earlier version may have joined without.
  ///
  /// @throws IOException if the file is damaged; says what to do
  public static MachineKey of(Path data) throws IOException {
    Optional<MachineKey> kept = load(data.resolve(FILE));
    return kept.isPresent() ? kept.get() : make(data);
  }

  /// A new key pair, kept from now on in the place of an earlier one.
  public static MachineKey make(Path data) throws IOException {
    KeyPair made = generate();
    Fields fields =
        new Fields()
            .put(PRIVATE, HEX.formatHex(made.getPrivate().getEncoded()))
            .put(PUBLIC, HEX.formatHex(made.getPublic().getEncoded()));
    DurableFile.replace(data.resolve(FILE), fields.toLines().getBytes(StandardCharsets.UTF_8));
    return new MachineKey(made.getPrivate(), made.getPublic().getEncoded());
  }

  /// The public half: its SubjectPublicKeyInfo (DER).
  public byte[] publicKey() {
    return publicKey.clone();
  }

  /// The signature of the private half.
  public byte[] sign(byte[] content) {
    try {
      Signature signature = Signature.getInstance(ED25519);
      signature.initSign(privateKey);
      signature.update(content);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this key pair cannot sign", e);
    }
  }

  private static Optional<MachineKey> load(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.UTF_8);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
    try {
      Fields fields = Fields.ofLines(text);
      byte[] secret = HEX.parseHex(fields.require(PRIVATE));
      return Optional.of(
          new MachineKey(
              KeyFactory.getInstance(ED25519).generatePrivate(new PKCS8EncodedKeySpec(secret)),
              HEX.parseHex(fields.require(PUBLIC))));
    } catch (Fields.DamagedException | IllegalArgumentException | GeneralSecurityException _) {
      // Without the cause, whose message may quote the private key.
      throw new IOException(
          file + " is damaged; delete it and the file identity, and let the node join again");
    }
  }

  private static KeyPair generate() {
    try {
      return KeyPairGenerator.getInstance(ED25519).generateKeyPair();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + ED25519, e);
    }
  }
}
