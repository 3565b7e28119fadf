package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.auth.Role;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.EnrollNodeRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.Key;
import io.headgate.proto.policy.v1.ListKeysRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.type.ProofBytes;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A node's key is bound to the key pair of its machine, whatever a thief of the key tries.
class NodeKeyTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private final TestMachine machine = new TestMachine();
  private final TestMachine thief = new TestMachine();
  private final String tenant = tenantWithPool();

  @Test
  void aStolenKeyGivesNoTokenWithoutItsMachine() {
    letAuditEntriesBeWrittenAgain();
    String key = join("gpu-1");
    for (int i = 0; i < 50; i++) {
      assertRejected(alone(key));
      assertRejected(thief.exchange(key));
      assertRejected(stating(machine, thief.exchange(key)));
    }
    // The attempts of the thief hold the machine itself back in no way.
    assertGivesToken(machine.exchange(key));
    assertThat(refusedExchanges(key)).isNotEmpty().containsOnly("KEY_REJECTED");
  }

  @Test
  void aProofIsGoodOnce() {
    letAuditEntriesBeWrittenAgain();
    String key = join("gpu-1");
    ExchangeKeyRequest first = machine.exchange(key, 1000);
    assertGivesToken(first);
    assertOutdated(first, 1000);
    ExchangeKeyRequest second = machine.exchange(key, 1001);
    assertGivesToken(second);
    assertOutdated(second, 1001);
    assertOutdated(first, 1001);
    assertOutdated(machine.exchange(key, 999), 1001);
    assertThat(refusedExchanges(key)).containsOnly("PROOF_OUTDATED");
  }

  @Test
  void aThiefOfBothFilesLeavesTheMachineHigherCounters() {
    String key = join("gpu-1");
    long day = Duration.ofDays(1).toMillis();
    long now = POLICY.clock().instant().toEpochMilli();
    assertThat(refusal(machine.exchange(key, Long.MAX_VALUE).toBuilder()).reason())
        .isEqualTo("INVALID_FIELD");
    assertAhead(machine.exchange(key, 999_999_999_999_999L), 0);
    assertAhead(machine.exchange(key, now + day + 1), 0);
    assertGivesToken(machine.exchange(key, 1));
    assertGivesToken(machine.exchange(key, now + day));
    assertAhead(machine.exchange(key, now + 2 * day + 1), now + day);
    // As the counter of a machine may be if the service's clock was set back.
    assertGivesToken(machine.exchange(key, now + 2 * day));
    assertGivesToken(machine.exchange(key, now + 2 * day + 1));
  }

  @Test
  void aThiefAtTheAddressOfTheMachineTakesNoPlaceFromIt() throws Exception {
    String key = join("gpu-1");
    ExchangeKeyRequest caught = machine.exchange(key);
    assertGivesToken(caught);
    for (int i = 0; i < 20; i++) {
      assertRejected(stating(machine, thief.exchange(key)));
      assertOutdated(caught, caught.getMachineProof().getCounter());
    }
    try (FullSlowLane lane = fullSlowLane()) {
      assertGivesToken(machine.exchange(key));
      assertThat(lane.isFull()).isTrue();
    }
  }

  @Test
  void wrongSignaturesWithAKnownJoinTokenAreFailures() throws Exception {
    EnrollNodeRequest request = machine.enrolment(joinToken(), "gpu-1", "");
    for (int i = 0; i < 20; i++) {
      assertInvalid("signature", request.toBuilder().setSignature(bytes(64)));
    }
    try (FullSlowLane lane = fullSlowLane()) {
      assertThat(refusal(request.toBuilder()).reason()).isEqualTo("TOO_MANY_ATTEMPTS");
      assertThat(lane.isFull()).isTrue();
    }
    assertGivesToken(machine.exchange(enroll(request)));
  }

  @Test
  void aJoinTokenThatHasEndedIsLikeAnUnknownOneWhateverIsSigned() {
    String used = joinToken();
    EnrollNodeRequest answered = machine.enrolment(used, "gpu-1", UUID.randomUUID().toString());
    enroll(answered);
    String late = joinToken();
    POLICY.clock().advance(Duration.ofHours(2));
    for (String token : List.of(used, late)) {
      EnrollNodeRequest request = machine.enrolment(token, "gpu-2", "");
      assertThat(refusal(request.toBuilder().setSignature(bytes(64))).reason())
          .isEqualTo("JOIN_TOKEN_REJECTED");
    }
    assertInvalid("signature", answered.toBuilder().setSignature(bytes(64)));
    assertGivesToken(machine.exchange(enroll(answered)));
  }

  @Test
  void aProofWithAChangedCounterIsWrong() {
    String key = join("gpu-1");
    ExchangeKeyRequest used = machine.exchange(key, 5);
    assertGivesToken(used);
    ExchangeKeyRequest raised =
        used.toBuilder().setMachineProof(used.getMachineProof().toBuilder().setCounter(6)).build();
    assertRejected(raised);
  }

  @Test
  void replaysDoNotHoldTheMachineBack() {
    String key = join("gpu-1");
    ExchangeKeyRequest caught = machine.exchange(key);
    assertGivesToken(caught);
    for (int i = 0; i < 50; i++) {
      assertOutdated(caught, caught.getMachineProof().getCounter());
    }
    assertGivesToken(machine.exchange(key));
  }

  @Test
  void aUsedProofStaysUsedAfterARestart() {
    String key = join("gpu-1");
    ExchangeKeyRequest used = machine.exchange(key);
    assertGivesToken(used);
    POLICY.restart();
    assertOutdated(used, used.getMachineProof().getCounter());
    assertGivesToken(machine.exchange(key));
  }

  @Test
  void ofOneProofAtTwoInstancesAtOnceOneIsAccepted() throws Exception {
    String key = join("gpu-1");
    try (SecondInstance second = SecondInstance.of(POSTGRES.config(), POLICY);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Channel> instances = List.of(POLICY.anonymous(), second.channel());
      for (int round = 0; round < 10; round++) {
        ExchangeKeyRequest proof = machine.exchange(key);
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          Channel instance = instances.get(i % 2);
          calls.add(() -> isAccepted(instance, proof));
        }
        int accepted = 0;
        for (Future<Boolean> call : threads.invokeAll(calls)) {
          accepted += call.get() ? 1 : 0;
        }
        assertThat(accepted).as("round " + round).isOne();
      }
    }
  }

  @Test
  void aProofIsForOneKey() {
    String one = join("gpu-1");
    String other = join("gpu-2");
    ExchangeKeyRequest proof = machine.exchange(one);
    assertRejected(proof.toBuilder().setKey(other).build());
    assertGivesToken(proof);
  }

  @Test
  void theSignatureOfAnEnrolmentIsNoProofForAToken() {
    String token = joinToken();
    EnrollNodeRequest request = machine.enrolment(token, "gpu-1", "");
    String key =
        TokenServiceGrpc.newBlockingStub(POLICY.anonymous()).enrollNode(request).getNodeKey();
    ExchangeKeyRequest proof = machine.exchange(key);
    assertRejected(
        proof.toBuilder()
            .setMachineProof(
                proof.getMachineProof().toBuilder().setSignature(request.getSignature()))
            .build());
  }

  @Test
  void aRequestWithAnotherPublicKeyIsNotARepetition() {
    String token = joinToken();
    String request = UUID.randomUUID().toString();
    String key = enroll(machine.enrolment(token, "gpu-1", request));
    Refusal refusal = PolicyFixture.refusal(() -> enroll(thief.enrolment(token, "gpu-1", request)));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.reason()).isEqualTo("REQUEST_ID_REUSED");
    assertThat(enroll(machine.enrolment(token, "gpu-1", request))).isEqualTo(key);
    assertGivesToken(machine.exchange(key));
  }

  @Test
  void aMachineDoesNotJoinWithoutItsKeyPair() {
    String token = joinToken();
    EnrollNodeRequest request = machine.enrolment(token, "gpu-1", "");
    Refusal missing = refusal(request.toBuilder().clearPublicKey());
    assertThat(missing.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(missing.message()).contains("install this version's agent");
    assertInvalid("public_key", request.toBuilder().clearPublicKey());
    assertInvalid("signature", request.toBuilder().clearSignature());
    assertInvalid("signature", request.toBuilder().setSignature(bytes(63)));
    assertInvalid("signature", request.toBuilder().setSignature(bytes(64)));
    assertInvalid("public_key", request.toBuilder().setPublicKey(bytes(44)));
    assertInvalid(
        "public_key", request.toBuilder().setPublicKey(request.getPublicKey().substring(1)));
    // No point of the curve, with some probability for each.
    for (int i = 1; i <= 20; i++) {
      byte[] strange = machine.publicKey();
      strange[strange.length - 1] += (byte) i;
      assertInvalid("signature", request.toBuilder().setPublicKey(ByteString.copyFrom(strange)));
    }
    assertThat(nodeKeys()).as("no use of the token, and no key").isEmpty();
    assertGivesToken(machine.exchange(enroll(request)));
  }

  @Test
  void keysOfOtherKindsAndHugeOnesAreNoMachineKeys() throws Exception {
    String token = joinToken();
    EnrollNodeRequest request = machine.enrolment(token, "gpu-1", "");
    for (String kind : List.of("EC", "RSA", "X25519")) {
      byte[] encoded =
          KeyPairGenerator.getInstance(kind).generateKeyPair().getPublic().getEncoded();
      assertThat(refusal(request.toBuilder().setPublicKey(ByteString.copyFrom(encoded))).reason())
          .as(kind)
          .isIn("INVALID_FIELD", "MACHINE_KEY_INVALID");
    }
    assertThat(refusal(request.toBuilder().setPublicKey(bytes(500_000))).reason())
        .isEqualTo("INVALID_FIELD");
    assertThat(refusal(request.toBuilder().setSignature(bytes(500_000))).reason())
        .isEqualTo("INVALID_FIELD");

    String key = enroll(request);
    ExchangeKeyRequest proof = machine.exchange(key);
    for (ByteString wrong : List.of(ByteString.EMPTY, bytes(45), bytes(500_000))) {
      assertThat(
              refusal(
                      proof.toBuilder()
                          .setMachineProof(proof.getMachineProof().toBuilder().setPublicKey(wrong)))
                  .reason())
          .isEqualTo("INVALID_FIELD");
    }
    assertThat(
            refusal(
                    proof.toBuilder()
                        .setMachineProof(
                            proof.getMachineProof().toBuilder().setPublicKey(bytes(44))))
                .reason())
        .isEqualTo("MACHINE_KEY_INVALID");
  }

  @Test
  void theSignatureOfAnEnrolmentIsForItsNodeItsTokenAndItsRequest() {
    String token = joinToken();
    EnrollNodeRequest request = machine.enrolment(token, "gpu-1", UUID.randomUUID().toString());
    assertInvalid("signature", request.toBuilder().setNodeId("gpu-2"));
    assertInvalid("signature", request.toBuilder().setJoinToken(joinToken()));
    assertInvalid("signature", request.toBuilder().setRequestId(UUID.randomUUID().toString()));
    assertInvalid(
        "signature", request.toBuilder().setPublicKey(ByteString.copyFrom(thief.publicKey())));
  }

  @Test
  void aStrangerHearsTheSameWhateverItSigns() {
    String unknown = "hg_join_0123456789abcdef_" + "A".repeat(43);
    EnrollNodeRequest request = machine.enrolment(unknown, "gpu-1", "");
    assertThat(refusal(request.toBuilder()).reason()).isEqualTo("JOIN_TOKEN_REJECTED");
    assertThat(refusal(request.toBuilder().setSignature(bytes(64))).reason())
        .isEqualTo("JOIN_TOKEN_REJECTED");
  }

  @Test
  void aKeyFromBeforeIsBoundByTheFirstProofForGood() {
    String key = join("gpu-1");
    unbind(key);
    assertThat(nodeKeys()).extracting(Key::getMachineKey).containsExactly("");
    assertGivesToken(alone(key));
    assertGivesToken(alone(key));

    assertRejected(stating(machine, thief.exchange(key)));
    assertThat(nodeKeys()).extracting(Key::getMachineKey).containsExactly("");
    assertGivesToken(machine.exchange(key));

    String hex = HexFormat.of().formatHex(machine.publicKey());
    assertThat(nodeKeys())
        .extracting(Key::getMachineKey)
        .singleElement()
        .satisfies(shown -> assertThat(hex).endsWith(shown));
    assertThat(audited("BindKey", key)).as("one entry says so").hasSize(1);
    assertRejected(alone(key));
    assertRejected(thief.exchange(key));
    assertGivesToken(machine.exchange(key));
  }

  @Test
  void ofTwoMachinesAtOnceOneBindsAKeyFromBefore() throws Exception {
    for (int round = 0; round < 10; round++) {
      String key = join("gpu-" + round);
      unbind(key);
      Channel anonymous = POLICY.anonymous();
      List<Callable<Boolean>> calls =
          List.of(
              () -> isAccepted(anonymous, machine.exchange(key)),
              () -> isAccepted(anonymous, thief.exchange(key)));
      int accepted = 0;
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (Future<Boolean> call : threads.invokeAll(calls)) {
          accepted += call.get() ? 1 : 0;
        }
      }
      assertThat(accepted).isOne();
      assertThat(audited("BindKey", key)).hasSize(1);
    }
  }

  @Test
  void keysOfOthersThanNodesAreBoundToNothing() {
    String key = POLICY.key("services/scheduler");
    assertGives(machine.exchange(key), Role.SERVICE);
    assertGives(alone(key), Role.SERVICE);
  }

  @Test
  void differentPartsNeverGiveTheSameBytes() {
    byte[] key = machine.publicKey();
    assertThat(ProofBytes.ofEnrolment("ab", "c", "", key))
        .isNotEqualTo(ProofBytes.ofEnrolment("a", "bc", "", key))
        .isNotEqualTo(ProofBytes.ofEnrolment("ab", "", "c", key));
    assertThat(ProofBytes.ofExchange("k1", 2, key))
        .isNotEqualTo(ProofBytes.ofExchange("k", 12, key));
  }

  /// Takes all places for secrets under a penalty.
  private FullSlowLane fullSlowLane() throws Exception {
    List<ExchangeKeyRequest> proofs = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      String key = join("held-" + i);
      for (int failures = 0; failures < 20; failures++) {
        assertRejected(thief.exchange(key));
      }
      proofs.add(machine.exchange(key));
    }
    return FullSlowLane.of(
        POSTGRES.config().asOwner(),
        proofs.stream().map(proof -> id(proof.getKey())).toList(),
        proofs.stream().<Runnable>map(proof -> () -> assertGivesToken(proof)).toList());
  }

  private String tenantWithPool() {
    String id = POLICY.tenant();
    POLICY
        .pools()
        .provision(
            id,
            ResourceConfiguration.newBuilder()
                .setTenant(id)
                .addPools(FakePools.pool(id, "onprem", "16"))
                .build());
    return id;
  }

  private String joinToken() {
    return TokenServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .createJoinToken(
            CreateJoinTokenRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setPool("onprem")
                .build())
        .getJoinToken();
  }

  /// The key of a node that joins on {@link #machine}.
  private String join(String node) {
    return enroll(machine.enrolment(joinToken(), node, UUID.randomUUID().toString()));
  }

  private static String enroll(EnrollNodeRequest request) {
    return TokenServiceGrpc.newBlockingStub(POLICY.anonymous()).enrollNode(request).getNodeKey();
  }

  /// As a version made it whose machines had no key pairs.
  private static void unbind(String key) {
    int changed =
        POSTGRES
            .database()
            .jooq()
            .execute(
                "update keys set machine_key = null, proof_counter = 0 where key_id = ?", id(key));
    assertThat(changed).isOne();
  }

  private static ExchangeKeyRequest alone(String key) {
    return ExchangeKeyRequest.newBuilder().setKey(key).build();
  }

  /// The request, but with the public key of another machine.
  private static ExchangeKeyRequest stating(TestMachine other, ExchangeKeyRequest request) {
    return request.toBuilder()
        .setMachineProof(
            request.getMachineProof().toBuilder()
                .setPublicKey(ByteString.copyFrom(other.publicKey())))
        .build();
  }

  private static String id(String key) {
    return key.split("_", 4)[2];
  }

  private static ByteString bytes(int length) {
    return ByteString.copyFrom(new byte[length]);
  }

  private List<Key> nodeKeys() {
    return TokenServiceGrpc.newBlockingStub(POLICY.admin(tenant))
        .listKeys(ListKeysRequest.getDefaultInstance())
        .getKeysList()
        .stream()
        .filter(key -> key.getOwner().contains("/nodes/"))
        .toList();
  }

  /// Refusals are recorded at a bounded rate, and all tests have one address.
  private static void letAuditEntriesBeWrittenAgain() {
    POLICY.clock().advance(Duration.ofHours(1));
  }

  private static List<String> refusedExchanges(String key) {
    return audited("ExchangeKey", key);
  }

  /// The reasons of the audit log's entries.
  private static List<String> audited(String action, String key) {
    return POSTGRES
        .database()
        .jooq()
        .fetch(
            "select reason from audit_log where action = ? and target = ?",
            action,
            "keys/" + id(key))
        .getValues("reason", String.class);
  }

  private static boolean isAccepted(Channel instance, ExchangeKeyRequest request) {
    try {
      return !TokenServiceGrpc.newBlockingStub(instance).exchangeKey(request).getToken().isEmpty();
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isIn(Code.UNAUTHENTICATED, Code.ABORTED);
      return false;
    }
  }

  private static void assertGivesToken(ExchangeKeyRequest request) {
    assertGives(request, Role.NODE);
  }

  private static void assertGives(ExchangeKeyRequest request, Role role) {
    String token =
        TokenServiceGrpc.newBlockingStub(POLICY.anonymous()).exchangeKey(request).getToken();
    assertThat(POLICY.service().verifier().verify(token).role()).isEqualTo(role);
  }

  private static void assertRejected(ExchangeKeyRequest request) {
    Refusal refusal = refusal(request.toBuilder());
    assertThat(refusal.code()).isEqualTo(Code.UNAUTHENTICATED);
    assertThat(refusal.reason()).isEqualTo("KEY_REJECTED");
  }

  private static void assertOutdated(ExchangeKeyRequest request, long last) {
    assertCounterRefused("PROOF_OUTDATED", request, last);
  }

  private static void assertAhead(ExchangeKeyRequest request, long last) {
    assertCounterRefused("PROOF_AHEAD", request, last);
  }

  private static void assertCounterRefused(String reason, ExchangeKeyRequest request, long last) {
    Refusal refusal = refusal(request.toBuilder());
    assertThat(refusal.code()).isEqualTo(Code.ABORTED);
    assertThat(refusal.reason()).isEqualTo(reason);
    assertThat(refusal.metadata()).containsEntry("counter", Long.toString(last));
  }

  private static void assertInvalid(String field, EnrollNodeRequest.Builder request) {
    Refusal refusal = refusal(request);
    assertThat(refusal.reason()).isEqualTo("MACHINE_KEY_INVALID");
    assertThat(refusal.violations().getFirst().field()).isEqualTo(field);
  }

  private static Refusal refusal(ExchangeKeyRequest.Builder request) {
    return PolicyFixture.refusal(
        () -> TokenServiceGrpc.newBlockingStub(POLICY.anonymous()).exchangeKey(request.build()));
  }

  private static Refusal refusal(EnrollNodeRequest.Builder request) {
    return PolicyFixture.refusal(
        () -> TokenServiceGrpc.newBlockingStub(POLICY.anonymous()).enrollNode(request.build()));
  }
}
