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
/// owner only, before the machine asks to join. The private half is never sent.
///
/// A machine that joins anew asks with a new pair, in a file of its own. That file takes the place
/// of the former one only when the join is accepted, so a machine that is refused keeps the pair of
/// its former identity. Thread-safe.
public final class MachineKey {
  private static final String FILE = "machine-key";
  private static final String REQUESTED = "machine-key.next";
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
    Optional<MachineKey> kept =
        load(data.resolve(FILE), "delete it and the file identity, and let the node join again");
    return kept.isPresent() ? kept.get() : make(data.resolve(FILE));
  }

  /// The key pair with which the machine asks to join: that of its open request, or a new one.
  ///
  /// @throws IOException if the file is damaged; says what to do
  public static MachineKey ofRequest(Path data) throws IOException {
    Optional<MachineKey> asked =
        load(data.resolve(REQUESTED), "delete it and the file enrolment-request");
    if (asked.isPresent()) {
      return asked.get();
    }
    // The agent died after the join was accepted, and before the identity was kept.
    return EnrolmentRequest.isKept(data) && Files.exists(data.resolve(FILE))
        ? of(data)
        : make(data.resolve(REQUESTED));
  }

  /// The key pair of the request is the machine's from now on, even after a crash. To be called
  /// before the new identity is kept: each identity then finds its own pair. A repetition has no
  /// effect.
  public static void accept(Path data) throws IOException {
    Path requested = data.resolve(REQUESTED);
    if (Files.exists(requested)) {
      DurableFile.rename(requested, data.resolve(FILE));
    }
  }

  /// Forgets the key pair of a request that nothing waits for any more. To be called once the id of
  /// the request is forgotten.
  public static void forgetRequest(Path data) throws IOException {
    Files.deleteIfExists(data.resolve(REQUESTED));
  }

  private static MachineKey make(Path file) throws IOException {
    KeyPair made = generate();
    Fields fields =
        new Fields()
            .put(PRIVATE, HEX.formatHex(made.getPrivate().getEncoded()))
            .put(PUBLIC, HEX.formatHex(made.getPublic().getEncoded()));
    DurableFile.replace(file, fields.toLines().getBytes(StandardCharsets.UTF_8));
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

  private static Optional<MachineKey> load(Path file, String remedy) throws IOException {
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
      throw new IOException(file + " is damaged; " + remedy);
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
