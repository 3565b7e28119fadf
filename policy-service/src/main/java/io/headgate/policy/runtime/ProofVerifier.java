package io.headgate.policy.runtime;

import io.headgate.policy.core.key.MachineProof;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;

/// Verifies proofs of machines.
final class ProofVerifier {
  private static final String ED25519 = "Ed25519";

  private ProofVerifier() {}

  /// Whether the private key of the proof's machine has signed `content`.
  static boolean isProven(MachineProof proof, byte[] content) {
    try {
      Signature signature = Signature.getInstance(ED25519);
      signature.initVerify(
          KeyFactory.getInstance(ED25519)
              .generatePublic(new X509EncodedKeySpec(proof.key().encoded())));
      signature.update(content);
      return signature.verify(HexFormat.of().parseHex(proof.signature()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + ED25519, e);
    } catch (GeneralSecurityException _) {
      // The key is no point of the curve, or the signature has another length.
      return false;
    }
  }
}
