package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static io.headgate.scheduler.core.TenantBuilder.profileId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.StandardPlacement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Which of the places where a job fits is taken, by each policy.
class PlacementTest {
  private static final PlacementPolicy ROLL_OUT = StandardPlacement.ROLL_OUT_FILL;

  private static TenantBuilder tenant(String... sizes) {
    TenantBuilder tenant = new TenantBuilder().pool("pool").policy("team", "0", "1000");
    for (String size : sizes) {
      tenant.profile(size, size, "pool").queue(size, "team", size, 1);
    }
    return tenant;
  }

  private static Driver driver(PlacementPolicy policy, TenantBuilder tenant) {
    Driver it = new Driver(tenant);
    it.core = SchedulerCore.empty(policy);
    return it.provision(tenant);
  }

  private static String[] names(String prefix, int count) {
    String[] names = new String[count];
    for (int i = 0; i < count; i++) {
      names[i] = prefix + i;
    }
    return names;
  }

  @Test
  void keepsRoomForTheGangsThatAreExpected() {
    TenantBuilder tenant = tenant("1", "2");
    Driver tight =
        driver(StandardPlacement.TIGHTEST_FIT, tenant)
            .join(Driver.node("a", "pool", 2), Driver.node("b", "pool", 3));
    assertThat(tight.submit("1", "x").place("x")).isEqualTo("a:0");
    Driver it =
        driver(ROLL_OUT, tenant).join(Driver.node("a", "pool", 2), Driver.node("b", "pool", 3));
    assertThat(it.submit("1", "x").place("x")).isEqualTo("b:0");
  }

  @Test
  void putsAPartWhereNothingElseWouldHaveFitted() {
    TenantBuilder tenant = tenant("1/4", "1/2", "3/4", "1");
    Driver it = driver(ROLL_OUT, tenant).join(Driver.node("n", "pool", 2));
    it.submit("3/4", "a").submit("1/4", "b");
    assertThat(it.place("a")).isEqualTo("n:0(3/4)");
    assertThat(it.place("b")).isEqualTo("n:0(1/4)");
  }

  @Test
  void strandsNothingThatOthersCouldUse() {
    TenantBuilder tenant = tenant("1/2", "1");
    Driver it = driver(StandardPlacement.LEAST_STRANDED, tenant);
    it.join(Driver.node("a", "pool", 1), Driver.node("b", "pool", 1));
    it.submit("1/2", "x", "y").submit("1", "z");
    assertThat(it.place("x")).isEqualTo("a:0(1/2)");
    assertThat(it.place("y")).isEqualTo("a:0(1/2)");
    assertThat(it.place("z")).isEqualTo("b:0");
  }

  @Test
  void drawsAPlaceFromTheSeedAndTheStateAlone() {
    TenantBuilder tenant = tenant("1/2", "1");
    for (long seed = 1; seed <= 3; seed++) {
      Driver it = driver(new ArbitraryPlacement(seed), tenant);
      Driver copied = driver(new ArbitraryPlacement(seed), tenant);
      for (int i = 0; i < 6; i++) {
        it.join(Driver.node("n" + i, "pool", 2));
        copied.join(Driver.node("n" + i, "pool", 2));
      }
      List<String> places = new ArrayList<>();
      List<String> copies = new ArrayList<>();
      for (String name : names("j", 8)) {
        places.add(it.submit("1/2", name).place(name));
        copied.core = copied.core.copy();
        copies.add(copied.submit("1/2", name).place(name));
      }
      assertThat(copies).as("seed " + seed).isEqualTo(places);
    }
  }

  @Test
  void learnsWhatToExpectFromWhatIsAskedFor() {
    Driver it = driver(ROLL_OUT, tenant("1", "2")).join(Driver.node("a", "pool", 8));
    it.submit("1", names("x", 60));
    assertThat(it.core.state().demand()).containsExactly(new Demanded(profileId("1"), 0, 60));
    it.submit("1", names("y", 3)).submit("2", "z");
    assertThat(it.core.state().demand())
        .containsExactly(new Demanded(profileId("1"), 63, 0), new Demanded(profileId("2"), 1, 0));
    it.submit("1", names("w", 32));
    assertThat(it.core.state().demand())
        .as("after half as many again nothing new: what is expected stays")
        .containsExactly(new Demanded(profileId("1"), 63, 32), new Demanded(profileId("2"), 1, 0));
    it.submit("1", names("v", 32));
    assertThat(it.core.state().demand())
        .containsExactly(new Demanded(profileId("1"), 63, 0), new Demanded(profileId("2"), 1, 0));
    it.submit("2", names("u", 64));
    assertThat(it.core.state().demand())
        .containsExactly(new Demanded(profileId("1"), 63, 0), new Demanded(profileId("2"), 65, 0));
  }

  @Test
  void forgetsWhatWasAskedForOfAProfileThatIsGone() {
    TenantBuilder tenant = tenant("1", "2");
    Driver it = driver(ROLL_OUT, tenant).join(Driver.node("a", "pool", 8));
    it.submit("1", names("x", 2)).submit("2", "z");
    it.provision(tenant.withoutQueue("2").withoutProfile("2"));
    assertThat(it.core.state().demand()).containsExactly(new Demanded(profileId("1"), 0, 2));
  }

  @Test
  void learnsFromTheJobsWhenNoDemandWasStored() {
    Driver it = driver(ROLL_OUT, tenant("1", "2")).join(Driver.node("a", "pool", 8));
    it.submit("1", names("x", 5)).submit("2", "z");
    SchedulerState kept = it.core.state();
    SchedulerState state =
        SchedulerState.kept(
            kept.catalogs(), kept.nodes(), kept.jobs(), kept.attempts(), kept.holds());
    assertThat(SchedulerCore.load(state, ROLL_OUT).state().demand())
        .containsExactly(new Demanded(profileId("1"), 5, 0), new Demanded(profileId("2"), 1, 0));
  }

  @Test
  void tellsHowMuchOfWhatIsIdleIsStranded() {
    Driver it = driver(ROLL_OUT, tenant("1/2", "2")).join(Driver.node("n", "pool", 1));
    // To the half nothing is, to the two the one GPU.
    assertThat(it.core.strandedGpus(poolId("pool"))).isEqualTo(0.5);
    it.submit("1/2", "a", "b");
    assertThat(it.core.strandedGpus(poolId("pool"))).isZero();
    assertThat(it.core.strandedGpus(poolId("other"))).isZero();
  }
}
