package io.headgate.policy;

import com.google.protobuf.ByteString;
import io.headgate.proto.policy.v1.EnrollNodeRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.MachineProof;
import io.headgate.type.ProofBytes;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.concurrent.atomic.AtomicLong;

/// A machine with a key pair of its own, and what it sends.
final class TestMachine {
  private final KeyPair keys;
  private final AtomicLong counter = new AtomicLong();

  TestMachine() {
    try {
      this.keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  byte[] publicKey() {
    return keys.getPublic().getEncoded();
  }

  /// @param requestId empty: not idempotent
  EnrollNodeRequest enrolment(String joinToken, String node, String requestId) {
    return EnrollNodeRequest.newBuilder()
        .setJoinToken(joinToken)
        .setNodeId(node)
        .setRequestId(requestId)
        .setPublicKey(ByteString.copyFrom(publicKey()))
        .setSignature(sign(ProofBytes.ofEnrolment(joinToken, node, requestId, publicKey())))
        .build();
  }

  /// With a counter above that of each earlier one.
  ExchangeKeyRequest exchange(String key) {
    return exchange(key, counter.incrementAndGet());
  }

  ExchangeKeyRequest exchange(String key, long number) {
    return ExchangeKeyRequest.newBuilder()
        .setKey(key)
        .setMachineProof(
            MachineProof.newBuilder()
                .setPublicKey(ByteString.copyFrom(publicKey()))
                .setCounter(number)
                .setSignature(sign(ProofBytes.ofExchange(key, number, publicKey()))))
        .build();
  }

  ByteString sign(byte[] content) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(keys.getPrivate());
      signature.update(content);
      return ByteString.copyFrom(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
