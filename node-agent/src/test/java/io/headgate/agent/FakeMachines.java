package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.policy.v1.EnrollNodeRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.MachineProof;
import io.headgate.type.ProofBytes;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// The machines that a fake policy-service knows. It takes no request without a proof, as the real
/// one does.
final class FakeMachines {
  /// Public key and last counter of each node.
  private final Map<String, byte[]> keys = new ConcurrentHashMap<>();

  private final Map<String, Long> counters = new ConcurrentHashMap<>();

  /// The proofs that were accepted, in order.
  final List<MachineProof> proofs = new CopyOnWriteArrayList<>();

  byte[] keyOf(String node) {
    byte[] key = keys.get(node);
    assertThat(key).as("the machine of " + node).isNotNull();
    return key;
  }

  /// The node's key is bound to no machine, as one from before machines had key pairs.
  void unbind(String node) {
    keys.remove(node);
    counters.remove(node);
  }

  /// The last proof of the node had this counter.
  void advance(String node, long counter) {
    counters.put(node, counter);
  }

  void enrol(EnrollNodeRequest request) {
    byte[] key = request.getPublicKey().toByteArray();
    byte[] content =
        ProofBytes.ofEnrolment(
            request.getJoinToken(), request.getNodeId(), request.getRequestId(), key);
    if (!isSigned(key, content, request.getSignature().toByteArray())) {
      throw Refusal.invalidField("MACHINE_KEY_INVALID", "signature", "wrong").exception();
    }
    keys.put(request.getNodeId(), key);
  }

  synchronized void exchange(String node, ExchangeKeyRequest request) {
    MachineProof proof = request.getMachineProof();
    byte[] key = proof.getPublicKey().toByteArray();
    byte[] content = ProofBytes.ofExchange(request.getKey(), proof.getCounter(), key);
    if (!Arrays.equals(keys.computeIfAbsent(node, _ -> key), key)
        || !isSigned(key, content, proof.getSignature().toByteArray())) {
      throw Refusal.of(Status.Code.UNAUTHENTICATED, "KEY_REJECTED", "another machine's key")
          .exception();
    }
    long last = counters.getOrDefault(node, 0L);
    if (proof.getCounter() <= last) {
      throw Refusal.conflict("PROOF_OUTDATED", "used before")
          .withMetadata("counter", last)
          .exception();
    }
    long highest = Math.max(last, System.currentTimeMillis()) + Duration.ofDays(1).toMillis();
    if (proof.getCounter() > highest) {
      throw Refusal.conflict("PROOF_AHEAD", "too high").withMetadata("counter", last).exception();
    }
    counters.put(node, proof.getCounter());
    proofs.add(proof);
  }

  private static boolean isSigned(byte[] key, byte[] content, byte[] signature) {
    try {
      Signature verified = Signature.getInstance("Ed25519");
      verified.initVerify(
          KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(key)));
      verified.update(content);
      return verified.verify(signature);
    } catch (GeneralSecurityException _) {
      return false;
    }
  }
}
