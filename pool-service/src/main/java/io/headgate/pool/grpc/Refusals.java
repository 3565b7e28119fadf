package io.headgate.pool.grpc;

import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import io.headgate.pool.core.Denial;
import java.util.List;

/// Puts denials into words: the fault of the value and its remedy.
final class Refusals {
  /// Refusals cut longer values.
  private static final int METADATA_LENGTH = 200;

  private Refusals() {}

  /// The refusal for the caller. It lists all wrong fields, under the reason of the first.
  static Refusal of(List<Denial> denials) {
    Refusal first = of(denials.getFirst());
    if (denials.size() == 1) {
      return first;
    }
    Refusal all =
        new Refusal(
            first.code(),
            first.reason(),
            first.message() + " (and " + (denials.size() - 1) + " more)",
            List.of(),
            first.metadata(),
            first.retryAfter());
    for (Denial denial : denials) {
      for (Refusal.FieldViolation violation : of(denial).violations()) {
        all = all.withViolation(violation);
      }
    }
    return all;
  }

  private static Refusal of(Denial denial) {
    return switch (denial) {
      case Denial.WrongField wrong -> WrongFields.of(wrong);
      case Denial.Incomplete(var missing) -> incomplete(WrongFields.of(missing));
      case Denial.NameTaken(var field, var kind, var id) ->
          Refusal.alreadyExists(
                  "NAME_TAKEN",
                  "there is a %s '%s' already: choose another id, or update it"
                      .formatted(kind.word(), id))
              .withViolation(field, "'" + id + "' is taken")
              .withMetadata(kind.word(), id);
      case Denial.NotFound(var kind, var id) ->
          Refusal.notFound(
                  kind.name() + "_NOT_FOUND", "there is no " + kind.word() + " '" + id + "'")
              .withMetadata(kind.word(), id);
      case Denial.NoDraft() ->
          Refusal.failedPrecondition(
              "NO_DRAFT", "there is no draft to provision: edit the configuration first");
      case Denial.VersionChanged(var expected, var actual) ->
          Refusal.conflict(
                  "VERSION_CHANGED",
                  "the change was made for version %d, but version %d is in force: read it and repeat your change"
                      .formatted(expected, actual))
              .withMetadata("expectedVersion", expected)
              .withMetadata("actualVersion", actual);
      case Denial.DraftOutdated(var base, var inForce) ->
          Refusal.conflict(
                  "VERSION_CHANGED",
                  "the draft was begun from version %d, but version %d is in force: write it anew with ReplaceDraft, or forget it with DiscardDraft"
                      .formatted(base, inForce))
              .withMetadata("expectedVersion", base)
              .withMetadata("actualVersion", inForce);
      case Denial.ChangeIdReused(var id) ->
          Refusal.invalidField(
              "CHANGE_ID_REUSED",
              "change_id",
              "'%s' is the id of a prepared change with other content: use a new one for each change"
                  .formatted(id));
      case Denial.DraftChanged(var expected, var actual) ->
          Refusal.conflict(
                  "VERSION_CHANGED",
                  "another change edited the draft: its etag is '%s', not '%s'; read it and repeat your change"
                      .formatted(actual, expected))
              .withMetadata("expectedEtag", expected)
              .withMetadata("actualEtag", actual);
      case Denial.DraftOfOthers(var others, var isByName) -> draftOfOthers(others, isByName);
      case Denial.ChangeInProgress(var id, var preparation) ->
          Refusal.conflict(
                  "CHANGE_IN_PROGRESS",
                  "%s is applying a change since %s: repeat yours when that is done; one that was interrupted, also of your own, is dropped within 20 s"
                      .formatted(preparation.by(), preparation.at()))
              .withMetadata("change", id)
              .withMetadata("by", preparation.by())
              .withMetadata("at", preparation.at());
      case Denial.ClaimsChanged(var node, var reason) ->
          Refusal.conflict(
                  "CLAIMS_CHANGED",
                  "node '%s' reports something else by now: %s; look at it again"
                      .formatted(node, reason))
              .withMetadata("node", node);
      case Denial.ElasticPool(var pool) ->
          Refusal.failedPrecondition(
                  "POOL_ELASTIC",
                  ("a provider makes the machines of pool '%s': no machine is moved into it or out of"
                          + " it; move between pools without 'elastic', or join the machine anew")
                      .formatted(pool))
              .withMetadata("pool", pool);
      case Denial.VersionNotFound(var version, var newest) ->
          Refusal.notFound(
                  "VERSION_NOT_FOUND",
                  "there is no version %d; the newest is %d".formatted(version, newest))
              .withMetadata("newestVersion", newest);
      case Denial.ForeignNode(var field, var asked, var own) ->
          Refusal.permissionDenied(
                  "FOREIGN_NODE",
                  "the token speaks for '%s' alone, not for '%s'".formatted(own, asked))
              .withViolation(field, "must be '" + own + "'");
      case Denial.NoPoolInToken(var node) ->
          Refusal.permissionDenied(
              "POOL_MISSING_IN_TOKEN",
              "the token of node '%s' lacks the pool that it joined: enroll the node again"
                  .formatted(node));
    };
  }

  private static Refusal draftOfOthers(List<Denial.Edit> others, boolean isByName) {
    String edits =
        String.join(", ", others.stream().map(edit -> edit.by() + " at " + edit.at()).toList());
    return Refusal.conflict(
            "DRAFT_OF_OTHERS",
            "the draft of pools and profiles has edits that are not yours and would be lost: "
                + edits
                + (isByName
                    ? "; ask them, or name them in discard_drafts_of"
                    : "; read the draft, and send its etag"))
        .withMetadata("editors", whole(others.stream().map(Denial.Edit::by).toList()))
        .withMetadata("at", others.getFirst().at());
  }

  /// The first names, none of them cut: metadata has little room, and a client repeats the names.
  private static String whole(List<String> names) {
    StringBuilder whole = new StringBuilder(names.getFirst());
    for (String name : names.subList(1, names.size())) {
      if (whole.length() + name.length() >= METADATA_LENGTH) {
        break;
      }
      whole.append(',').append(name);
    }
    return whole.toString();
  }

  /// The draft's field is valid but incomplete, so the state is wrong and not the request.
  private static Refusal incomplete(Refusal wrong) {
    return new Refusal(
        Status.Code.FAILED_PRECONDITION,
        wrong.reason(),
        wrong.message(),
        wrong.violations(),
        wrong.metadata(),
        wrong.retryAfter());
  }
}
