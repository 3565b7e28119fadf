package io.headgate.sdk.cli.error;

import io.headgate.sdk.model.HeadgateException.Failure;
import java.util.List;

/// Next steps after a refusal, for reasons whose message does not already contain one.
final class Hints {
  private static final List<String> OF_VAULTS =
      List.of("images and commands of your jobs: headgate vaults");

  private Hints() {}

  static List<String> next(Failure failure, String server) {
    return switch (failure.reason()) {
      case "TOKEN_MISSING" ->
          List.of(
              "sign in: headgate login --server " + server,
              "a stored key is sent only to the server of its context: headgate context");
      case "QUEUE_NOT_FOUND", "NOT_ADMITTED" -> List.of("your queues: headgate queues");
      case "JOB_NOT_FOUND" -> List.of("your jobs: headgate jobs --all");
      case "TENANT_NOT_FOUND" ->
          List.of(
              "the key `tenant` of the file or --tenant names it; your tenant: headgate whoami");
      case "KEY_NOT_FOUND" -> List.of("keys: headgate keys");
      case "JOIN_TOKEN_NOT_FOUND" -> List.of("valid join tokens: headgate join-tokens");
      case "POOL_NOT_FOUND" -> List.of("pools: headgate pools");
      case "NODE_NOT_FOUND" -> List.of("nodes: headgate nodes");
      case "PROFILE_NOT_FOUND" -> List.of("profiles: headgate profiles");
      case "POLICY_NOT_FOUND" -> List.of("policies: headgate policies");
      case "IMAGE_REQUIRED", "COMMAND_NOT_ALLOWED", "ENVIRONMENT_SET_BY_VAULT" -> OF_VAULTS;
      // Nodes, too, restrict the images that they run.
      case "IMAGE_NOT_ALLOWED" ->
          failure.metadata().containsKey("vault") ? OF_VAULTS : byCode(failure);
      case "VERSION_CHANGED" ->
          List.of("compare with the present configuration: headgate plan -f FILE");
      case "DRAFT_OF_OTHERS" -> List.of(discardDraft(failure));
      default -> byCode(failure);
    };
  }

  /// Users are named by their id, others in full.
  private static String discardDraft(Failure failure) {
    String editors = failure.metadata().getOrDefault("editors", "NAME");
    return "to lose their edits: headgate apply -f FILE --discard-draft-of "
        + editors.replaceAll("tenants/[^/,]+/users/", "");
  }

  private static List<String> unavailable(Failure failure) {
    if (failure.message().contains("cannot be trusted")) {
      return List.of("if your own authority signed it: headgate login --server URL --ca FILE.pem");
    }
    if (failure.message().startsWith("the name of")) {
      return List.of("check the spelling; servers of your contexts: headgate context");
    }
    return failure.message().startsWith("nothing listens at")
        ? List.of("start it on this machine: headgate up   other servers: headgate context")
        : List.of("running jobs continue, and nothing was changed: try again");
  }

  private static List<String> byCode(Failure failure) {
    return switch (failure.code()) {
      case UNAUTHENTICATED -> List.of("sign in: headgate login");
      case PERMISSION_DENIED -> List.of("your identity and rights: headgate whoami");
      case UNAVAILABLE -> unavailable(failure);
      case DEADLINE_EXCEEDED -> List.of("allow more time: --timeout 2m");
      case INTERNAL, UNKNOWN, DATA_LOSS ->
          List.of(
              "this is a fault of the server; look for this trace in its log: "
                  + failure.traceId());
      default -> List.of();
    };
  }
}
