package io.headgate.scheduler.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.headgate.kit.auth.Principal;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.submission.Submission.RequestKey;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// A caller's request to submit a single job or a batch.
///
/// @param requestId empty: not idempotent
/// @param content everything but the request's id
/// @param isBatch paths of fields name the job by index
/// @param origin where the traces of its jobs begin, as their rows say it
record SubmissionRequest(
    TenantId tenant,
    Principal principal,
    List<SubmitJobRequest> jobs,
    String requestId,
    Message content,
    boolean isBatch,
    String origin) {
  /// The path of a job in the request, for the fields of a refusal.
  String at(int index) {
    return isBatch ? "requests[" + index + "]." : "";
  }

  /// Identifies the request among those of its caller; empty: it is not idempotent.
  Optional<RequestKey> key() {
    return requestId.isEmpty()
        ? Optional.empty()
        : Optional.of(new RequestKey(principal.subject(), requestId, fingerprint(content)));
  }

  boolean hasImages() {
    return jobs.stream().anyMatch(job -> job.getSpec().hasContainer());
  }

  /// The same for the same content, whatever the order of its maps.
  private static String fingerprint(Message content) {
    byte[] bytes = new byte[content.getSerializedSize()];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.useDeterministicSerialization();
    try {
      content.writeTo(out);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot fail to be written", e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
