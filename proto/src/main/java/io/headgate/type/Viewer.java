package io.headgate.type;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;

/// The view of one caller on a tenant, and its right to steer there: the one rule of visibility. A
/// service only says to whom a thing belongs: an account, its *owner*, and a *team*. A team is a
/// group of the tenant, or a policy of that group.
///
/// - Admins, operators and services see everything. So do members of a tenant that is open.
/// - Other members see what they own, and what belongs to their teams.
/// - A member without any group sees nothing, whatever it owns.
/// - Owners, the leads of the team, and admins steer a thing. That a tenant is open changes nothing
///   of that.
///
/// With the team `rnd`, ada sees `{owner: alan, team: rnd}` and `{owner: ada, team: ops}`, but
/// nothing else. A thing that a caller does not see is answered as an absent one. Texts call it
/// [#ANOTHER_TEAMS_JOB].
///
/// @param governs is an admin or operator
/// @param seesAll needs no team to see a thing
/// @param subject resource name of the caller: `tenants/acme/users/ada`
/// @param teams ids of the caller's teams; without meaning where it sees all
/// @param led ids of those that it leads
public record Viewer(
    boolean governs, boolean seesAll, String subject, Set<String> teams, Set<String> led) {
  /// The word for a job that the reader of a text does not see.
  public static final String ANOTHER_TEAMS_JOB = "another team's job";

  /// Sees everything and steers nothing, as services do.
  public static final Viewer OF_ALL = new Viewer(false, true, "", Set.of(), Set.of());

  /// Sees and steers nothing.
  public static final Viewer OF_NOTHING = new Viewer(false, false, "", Set.of(), Set.of());

  public Viewer {
    teams = Set.copyOf(teams);
    led = Set.copyOf(led);
    if (governs && !seesAll) {
      throw new IllegalArgumentException(subject + " governs what it does not see");
    }
  }

  /// An admin of the tenant, or an operator.
  public static Viewer governing(String subject) {
    return new Viewer(true, true, subject, Set.of(), Set.of());
  }

  /// A member.
  ///
  /// @param isOpen whether the tenant is open to its members
  public static Viewer member(String subject, Set<String> teams, Set<String> led, boolean isOpen) {
    return new Viewer(false, isOpen, subject, teams, led);
  }

  /// Whether the caller sees a thing.
  ///
  /// @param owner resource name of an account
  /// @param team empty: none
  public boolean sees(String owner, String team) {
    return seesAll || owns(owner) || teams.contains(team);
  }

  /// Whether the caller sees what belongs to a team as a whole.
  public boolean seesTeam(String team) {
    return seesAll || teams.contains(team);
  }

  /// Whether the caller may stop a thing and start it anew.
  ///
  /// @param owner resource name of an account
  /// @param team empty: none
  public boolean steers(String owner, String team) {
    return governs || owns(owner) || led.contains(team);
  }

  /// Whether the thing is the caller's own.
  ///
  /// @param owner resource name of an account
  public boolean owns(String owner) {
    return !subject.isEmpty() && owner.equals(subject);
  }

  /// A hash of this view. Callers with the same hash see the same things. It does not tell names.
  public String visibilityHash() {
    StringBuilder seen = new StringBuilder(seesAll ? "all" : "own\n");
    if (!seesAll) {
      seen.append(subject);
      teams.stream().sorted().forEach(team -> seen.append('\n').append(team));
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(seen.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// The caller's id in its tenant: `ada`.
  public String id() {
    return subject.substring(subject.lastIndexOf('/') + 1);
  }
}
