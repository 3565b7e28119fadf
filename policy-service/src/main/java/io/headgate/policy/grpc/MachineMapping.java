package io.headgate.policy.grpc;

import com.google.protobuf.ByteString;
import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.key.MachineKey;
import io.headgate.policy.core.key.MachineProof;
import io.headgate.proto.policy.v1.EnrollNodeRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import java.util.HexFormat;
import java.util.Optional;

/// Reads the public keys and proofs of machines. Their lengths were checked by the contract's
/// rules.
final class MachineMapping {
  private static final int SIGNATURE_BYTES = 64;

  private MachineMapping() {}

  /// The proof of a machine that joins.
  static MachineProof proof(EnrollNodeRequest request) {
    if (request.getPublicKey().isEmpty()) {
      throw invalid(
          "public_key",
          "it is missing: a machine joins with a key pair of its own, so install this version's"
              + " agent");
    }
    if (request.getSignature().size() != SIGNATURE_BYTES) {
      throw invalid(
          "signature", "it is no Ed25519 signature, which has " + SIGNATURE_BYTES + " bytes");
    }
    return new MachineProof(key("public_key", request.getPublicKey()), hex(request.getSignature()));
  }

  /// The proof of a machine that wants a token; empty if the request has none.
  static Optional<MachineProof.Numbered> proof(ExchangeKeyRequest request) {
    if (!request.hasMachineProof()) {
      return Optional.empty();
    }
    var proof = request.getMachineProof();
    MachineKey key = key("machine_proof.public_key", proof.getPublicKey());
    return Optional.of(
        new MachineProof.Numbered(
            new MachineProof(key, hex(proof.getSignature())), proof.getCounter()));
  }

  private static MachineKey key(String field, ByteString encoded) {
    return MachineKey.parse(encoded.toByteArray())
        .orElseThrow(
            () -> invalid(field, "it is not the SubjectPublicKeyInfo (DER) of an Ed25519 key"));
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  private static DeniedException invalid(String field, String explanation) {
    return new DeniedException(new Denial.MachineKeyInvalid(field, explanation));
  }
}
