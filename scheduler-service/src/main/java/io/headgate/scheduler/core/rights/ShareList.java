package io.headgate.scheduler.core.rights;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The fair shares of one job (O4): one for each of its levels, from the highest down to its
/// policy.
///
/// | the job | its share of a level |
/// |---|---|
/// | entitled | usage ÷ reservation; 0 where the reservation is 0, or where the job needs no GPU |
/// | any other | over-reservation usage ÷ weight; where the pool has a half-life, the average past one is added |
///
/// Lists are compared element by element, exactly. At the first shares that differ the smaller
/// comes first; a list that ends first comes first. So lists of different lengths have one total
/// order, too.
///
/// Entitled, with 1 of 4 reserved GPUs in use, comes before 1 of 3. Above the reservation by 2 with
/// weight 1 comes after above by 3 with weight 2.
///
/// The list is filled again and again, because a decision compares thousands of them. It keeps the
/// shares as they were when they were added.
public final class ShareList {
  /// Numerator and denominator of each share.
  private long[] fractions = new long[2];

  private int length;

  /// Drops all shares.
  public void clear() {
    length = 0;
  }

  /// Adds a share of 0, for a level that does not count.
  public void addZero() {
    addFraction(0, 1);
  }

  /// Adds a waiting job's share of its next lower level, before the job is added to it.
  ///
  /// @param standing of the job
  /// @param need units of GPU that the job needs
  /// @param history of the pool
  public void add(Account level, Standing standing, long need, UseHistory history) {
    if (standing == Standing.ENTITLED && need == 0) {
      addZero();
    } else {
      addWithout(level, standing, 0, history);
    }
  }

  /// Adds a running job's share of its next lower level.
  ///
  /// @param standing of the job
  /// @param taken units that a search has taken from the level
  /// @param history of the pool
  public void addWithout(Account level, Standing standing, long taken, UseHistory history) {
    if (standing != Standing.ENTITLED) {
      long weight = level.weight();
      addFraction(level.over(taken) + history.unitsByWeight(level) * weight, weight);
    } else if (level.reservation() == 0) {
      addZero();
    } else {
      addFraction(level.usageWithoutStopping() - taken, level.reservation());
    }
  }

  /// Adds a waiting job's shares of its policy and the policy's departments, the highest first.
  ///
  /// @param standing of the job
  /// @param need units of GPU that the job needs
  /// @param history of the pool
  public void addWithDepartments(
      PolicyAccount policy, Standing standing, long need, UseHistory history) {
    addDepartments(policy.above(), standing, need, history);
    add(policy, standing, need, history);
  }

  private void addDepartments(
      @Nullable DepartmentAccount lowest, Standing standing, long need, UseHistory history) {
    if (lowest != null) {
      addDepartments(lowest.above(), standing, need, history);
      add(lowest, standing, need, history);
    }
  }

  private void addFraction(long numerator, long denominator) {
    if (fractions.length < 2 * length + 2) {
      fractions = Arrays.copyOf(fractions, 2 * fractions.length);
    }
    fractions[2 * length] = numerator;
    fractions[2 * length + 1] = denominator;
    length++;
  }

  /// Negative when this list comes first, positive when the other does, 0 when all shares are
  /// equal.
  public int comparedWith(ShareList other) {
    int both = Math.min(length, other.length);
    for (int i = 0; i < both; i++) {
      int order =
          compareProducts(
              fractions[2 * i],
              other.fractions[2 * i + 1],
              other.fractions[2 * i],
              fractions[2 * i + 1]);
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(length, other.length);
  }

  /// Compares a × b with c × d, none of which is negative. Products of a large cluster's usage and
  /// reservation exceed 64 bits.
  private static int compareProducts(long a, long b, long c, long d) {
    int high = Long.compare(Math.multiplyHigh(a, b), Math.multiplyHigh(c, d));
    return high != 0 ? high : Long.compareUnsigned(a * b, c * d);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(i == 0 ? "" : ", ")
          .append(fractions[2 * i])
          .append('/')
          .append(fractions[2 * i + 1]);
    }
    return text.toString();
  }
}
