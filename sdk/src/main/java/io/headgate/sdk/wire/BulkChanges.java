package io.headgate.sdk.wire;

import io.headgate.proto.scheduler.v1.ChangeJobsResponse;
import io.headgate.sdk.model.BulkChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/// Changes of many jobs, which take several calls.
public final class BulkChanges {
  /// Failures that are kept with their sentences.
  private static final int KEPT = 20;

  private BulkChanges() {}

  /// Calls until no jobs are left, and adds the answers up.
  ///
  /// @param call by the token of the answer before; empty: the first call
  public static BulkChange all(Function<String, ChangeJobsResponse> call) {
    BulkChange sum = BulkChange.NOTHING;
    String token = "";
    do {
      ChangeJobsResponse answer = call.apply(token);
      List<BulkChange.Failure> failures = new ArrayList<>(sum.failures());
      for (ChangeJobsResponse.Failure failure : answer.getFailuresList()) {
        if (failures.size() < KEPT) {
          failures.add(
              new BulkChange.Failure(
                  ResourceNames.id(failure.getName()), failure.getReason(), failure.getMessage()));
        }
      }
      Map<String, Long> users = new TreeMap<>(sum.users());
      answer.getUsersMap().forEach((user, jobs) -> users.merge(user, jobs, Long::sum));
      sum =
          new BulkChange(
              sum.changed() + answer.getChanged(),
              users,
              sum.notOwned() + answer.getNotOwned(),
              sum.failed() + answer.getFailed(),
              failures);
      token = answer.getNextPageToken();
    } while (!token.isEmpty());
    return sum;
  }
}
