package io.headgate.agent.grpc;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.agent.runtime.ledger.EnrolmentRequest;
import io.headgate.agent.runtime.ledger.MachineKey;
import io.headgate.agent.runtime.ledger.NodeIdentity;
import io.headgate.kit.config.Secret;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.policy.v1.EnrollNodeRequest;
import io.headgate.proto.policy.v1.EnrollNodeResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.type.ProofBytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes a machine a node: once, with a join token. Afterwards its file holds its identity.
final class Enrolment {
  private static final Logger LOG = LoggerFactory.getLogger(Enrolment.class);

  /// Codes of refusals that stay the same however often the machine asks. A service that is away,
  /// busy or damaged answers with others.
  private static final Set<Status.Code> FINAL =
      Set.of(
          Status.Code.UNAUTHENTICATED,
          Status.Code.PERMISSION_DENIED,
          Status.Code.INVALID_ARGUMENT,
          Status.Code.NOT_FOUND,
          Status.Code.ALREADY_EXISTS);

  private final Path data;
  private final String nodeId;
  private final Optional<Secret> joinToken;

  Enrolment(Path data, String nodeId, Optional<Secret> joinToken) {
    this.data = data;
    this.nodeId = nodeId;
    this.joinToken = joinToken;
  }

  boolean isDone() {
    try {
      return NodeIdentity.load(data).isPresent();
    } catch (IOException _) {
      // The record is damaged: joining reports that, with the remedy.
      return false;
    }
  }

  /// The identity of a machine that has joined, and the key pair to which its key is bound.
  record Joined(NodeIdentity identity, MachineKey machineKey) {}

  /// Returns the machine's identity; a machine without one joins first.
  ///
  /// @throws IOException says what to do
  /// @throws JoinRefusedException if another try would be refused, too
  Joined join(ManagedChannel policy) throws IOException {
    Optional<NodeIdentity> known = NodeIdentity.load(data);
    if (known.isEmpty()) {
      return enroll(policy);
    }
    // The answer is kept, or a former identity was brought back after a request was refused.
    EnrolmentRequest.forget(data);
    MachineKey.forgetRequest(data);
    return new Joined(known.get(), MachineKey.of(data));
  }

  private Joined enroll(ManagedChannel policy) throws IOException {
    Secret token =
        joinToken.orElseThrow(() ->
            new JoinRefusedException(
                "this machine has not joined and has no join token; set agent.join-token or"
                    + " --join-token-file"));
    // A machine that joins anew has a new key pair; one that asks again has that of its request.
    // Both are on disk before anything is sent, the pair first.
    MachineKey machineKey = MachineKey.ofRequest(data);
    EnrollNodeRequest request = request(token, EnrolmentRequest.of(data), machineKey);
    EnrollNodeResponse answer;
    try {
      answer = TokenServiceGrpc.newBlockingStub(policy).enrollNode(request);
    } catch (StatusRuntimeException e) {
      throw GrpcFailures.refusal(e).filter(refusal -> FINAL.contains(refusal.code())).stream()
          .<RuntimeException>map(this::refused)
          .findFirst()
          .orElse(e);
    }
    NodeIdentity joined =
        new NodeIdentity(answer.getNode(), answer.getPool(), Secret.of(answer.getNodeKey()), false);
    MachineKey.accept(data);
    joined.save(data);
    EnrolmentRequest.forget(data);
    LOG.info("joined as {} in pool {}", joined.node(), joined.pool());
    return new Joined(joined, machineKey);
  }

  private EnrollNodeRequest request(Secret token, String requestId, MachineKey machineKey) {
    byte[] publicKey = machineKey.publicKey();
    byte[] proof = ProofBytes.ofEnrolment(token.reveal(), nodeId, requestId, publicKey);
    return EnrollNodeRequest.newBuilder()
        .setJoinToken(token.reveal())
        .setNodeId(nodeId)
        .setRequestId(requestId)
        .setPublicKey(ByteString.copyFrom(publicKey))
        .setSignature(ByteString.copyFrom(machineKey.sign(proof)))
        .build();
  }

  private JoinRefusedException refused(Refusal refusal) {
    return new JoinRefusedException(
        "node %s cannot join: %s (%s). Get a token of the pool with headgate join-token POOL, and"
                .formatted(nodeId, refusal.message(), refusal.reason())
            + " start the agent with --join-token-file");
  }
}
