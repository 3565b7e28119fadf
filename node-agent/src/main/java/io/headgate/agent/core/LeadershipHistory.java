package io.headgate.agent.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The highest leadership that this machine has obeyed, and the incarnations that it has left
/// behind.
///
/// Within an incarnation the higher epoch wins, and an epoch has one leader. Incarnations have no
/// order of their own, so the first command of a new one retires the old one for ever: a scheduler
/// that was forgotten at a restore cannot come back.
///
/// Example: obeyed (i1, 7, a). Then (i1, 6, a) and (i1, 7, b) are refused, (i1, 8, b) and (i2, 1,
/// c) are obeyed; after (i2, 1, c) everything of i1 is refused.
///
/// @param retired oldest first, at most [#MAX_RETIRED]
public record LeadershipHistory(Optional<Leadership> highest, List<String> retired) {
  /// Restores are rare; this only keeps a defect from filling the disk.
  static final int MAX_RETIRED = 100;

  public static final LeadershipHistory NONE = new LeadershipHistory(Optional.empty(), List.of());

  public LeadershipHistory {
    retired = List.copyOf(retired);
  }

  /// Whether a command of this leader may be obeyed.
  public boolean admits(Leadership leadership) {
    if (highest.isEmpty()) {
      return true;
    }
    Leadership known = highest.get();
    if (!known.incarnation().equals(leadership.incarnation())) {
      return !retired.contains(leadership.incarnation());
    }
    return leadership.epoch() > known.epoch()
        || (leadership.epoch() == known.epoch() && leadership.leader().equals(known.leader()));
  }

  /// The history after obeying an admitted leader.
  public LeadershipHistory obeying(Leadership leadership) {
    if (!admits(leadership)) {
      throw new IllegalArgumentException(leadership + " after " + highest);
    }
    List<String> left = new ArrayList<>(retired);
    highest
        .map(Leadership::incarnation)
        .filter(incarnation -> !incarnation.equals(leadership.incarnation()))
        .ifPresent(left::add);
    while (left.size() > MAX_RETIRED) {
      left.removeFirst();
    }
    return new LeadershipHistory(Optional.of(leadership), left);
  }
}
