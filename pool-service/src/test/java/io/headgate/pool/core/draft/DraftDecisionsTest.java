package io.headgate.pool.core.draft;

import static io.headgate.pool.core.configuration.Specs.accepted;
import static io.headgate.pool.core.configuration.Specs.denied;
import static io.headgate.pool.core.configuration.Specs.pool;
import static io.headgate.pool.core.configuration.Specs.profile;
import static io.headgate.pool.core.configuration.Specs.read;
import static io.headgate.pool.core.configuration.Specs.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.draft.DraftDecisions.Expected;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DraftDecisionsTest {
  private static final Stamp STAMP = new Stamp(Instant.EPOCH, "tenants/acme/users/ada");

  private final Configuration inForce =
      read(spec(List.of(pool("a")), List.of(profile("half", "1/2", "a"))));
  private final Configuration edited = inForce.without(new ProfileId("half"));
  private final ConfigurationState clean = new ConfigurationState(version(7, inForce), none());
  private final ConfigurationState drafted =
      new ConfigurationState(version(7, inForce), Optional.of(new Draft(7, 12, edited, STAMP)));

  @Test
  void editsStartFromTheDraftAndElseFromWhatIsInForce() {
    assertThat(accepted(DraftDecisions.createPool(clean, pool("b"))).profiles()).hasSize(1);
    assertThat(accepted(DraftDecisions.createPool(drafted, pool("b"))).profiles()).isEmpty();
  }

  @Test
  void replacesOnlyWhatItWasMadeFor() {
    var spec = spec(List.of(pool("b")), List.of());
    assertThat(denied(DraftDecisions.replace(clean, new Expected(6, ""), spec)))
        .containsExactly(new Denial.VersionChanged(6, 7));
    assertThat(denied(DraftDecisions.replace(drafted, new Expected(7, "c11"), spec)))
        .containsExactly(new Denial.DraftChanged("c11", "c12"));
    assertThat(accepted(DraftDecisions.replace(drafted, new Expected(7, "c12"), spec)).pools())
        .hasSize(1);
    assertThat(accepted(DraftDecisions.replace(drafted, new Expected(0, ""), spec)).pools())
        .hasSize(1);
  }

  @Test
  void createsNothingTwiceAndChangesNothingThatIsNotThere() {
    PoolId absent = new PoolId("absent");
    assertThat(denied(DraftDecisions.createPool(clean, pool("a"))))
        .containsExactly(new Denial.NameTaken("pool_id", Kind.POOL, "a"));
    assertThat(denied(DraftDecisions.updatePool(clean, absent, _ -> pool("absent"))))
        .containsExactly(new Denial.NotFound(Kind.POOL, "absent"));
    assertThat(denied(DraftDecisions.deletePool(clean, absent)))
        .containsExactly(new Denial.NotFound(Kind.POOL, "absent"));
    assertThat(denied(DraftDecisions.createProfile(clean, profile("half", "1", "a"))))
        .containsExactly(new Denial.NameTaken("profile_id", Kind.PROFILE, "half"));
    assertThat(denied(DraftDecisions.deleteProfile(clean, new ProfileId("absent"))))
        .containsExactly(new Denial.NotFound(Kind.PROFILE, "absent"));
  }

  @Test
  void provisionsExactlyTheDraftThatIsMeant() {
    Provisioned next = new Provisioned(8, 12, edited, Optional.of(STAMP));
    assertThat(accepted(DraftDecisions.provision(drafted, "c12", STAMP))).isEqualTo(next);
    assertThat(accepted(DraftDecisions.provision(drafted, "", STAMP))).isEqualTo(next);
    assertThat(denied(DraftDecisions.provision(drafted, "c11", STAMP)))
        .containsExactly(new Denial.DraftChanged("c11", "c12"));
    assertThat(denied(DraftDecisions.provision(clean, "", STAMP)))
        .containsExactly(new Denial.NoDraft());
  }

  @Test
  void aDraftThatChangesNothingIsNoNewVersion() {
    ConfigurationState same =
        new ConfigurationState(version(7, inForce), Optional.of(new Draft(7, 12, inForce, STAMP)));
    assertThat(accepted(DraftDecisions.provision(same, "", STAMP))).isEqualTo(same.inForce());
  }

  @Test
  void provisionsNoDraftOfAnotherVersion() {
    ConfigurationState stale =
        new ConfigurationState(version(8, inForce), Optional.of(new Draft(7, 12, edited, STAMP)));
    assertThat(denied(DraftDecisions.provision(stale, "c12", STAMP)))
        .containsExactly(new Denial.DraftOutdated(7, 8));
  }

  @Test
  void aDraftMayLackPoolsUntilItIsProvisioned() {
    Configuration lacking = accepted(DraftDecisions.createProfile(clean, profile("unlinked", "1")));
    ConfigurationState state =
        new ConfigurationState(version(7, inForce), Optional.of(new Draft(7, 13, lacking, STAMP)));
    assertThat(denied(DraftDecisions.provision(state, "", STAMP)))
        .containsExactly(
            new Denial.Incomplete(
                new Denial.ProfileWithoutPool("profiles[unlinked].pools", "unlinked")));
  }

  private static Provisioned version(long version, Configuration configuration) {
    return new Provisioned(version, 5, configuration, Optional.of(STAMP));
  }

  private static Optional<Draft> none() {
    return Optional.empty();
  }
}
