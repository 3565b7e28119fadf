package io.headgate.pool.core.configuration;

import static io.headgate.pool.core.configuration.Specs.bounded;
import static io.headgate.pool.core.configuration.Specs.denied;
import static io.headgate.pool.core.configuration.Specs.elastic;
import static io.headgate.pool.core.configuration.Specs.elasticity;
import static io.headgate.pool.core.configuration.Specs.holding;
import static io.headgate.pool.core.configuration.Specs.instance;
import static io.headgate.pool.core.configuration.Specs.pool;
import static io.headgate.pool.core.configuration.Specs.priced;
import static io.headgate.pool.core.configuration.Specs.profile;
import static io.headgate.pool.core.configuration.Specs.read;
import static io.headgate.pool.core.configuration.Specs.ruled;
import static io.headgate.pool.core.configuration.Specs.spec;
import static io.headgate.pool.core.configuration.Specs.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.ConfigurationSpec.DedicationSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ElasticitySpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.PoolSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ProfileSpec;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.PoolId;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigurationReaderTest {
  @Test
  void fillsInWhatIsAbsentAndOrdersById() {
    Configuration configuration =
        read(
            spec(
                List.of(pool("b"), pool("a", "H100", "16.5", "half")),
                List.of(profile("whole", "4", "b", "a"), profile("half", "0.5", "a"))));
    assertThat(configuration.pools()).extracting(Pool::id).map(PoolId::value).isSorted();
    Profile half = configuration.profiles().getFirst();
    assertThat(half.gpus()).isEqualTo(GpuQuantity.parse("1/2"));
    assertThat(half.workers()).isEqualTo(1);
    assertThat(half.holdAfter()).isEqualTo(Duration.ofMinutes(10));
    assertThat(configuration.pools().getFirst().capacity()).contains(GpuQuantity.parse("33/2"));
    assertThat(configuration.profiles().getLast().pools())
        .extracting(PoolId::value)
        .containsExactly("b", "a");
  }

  @Test
  void pricesThatAreEqualAreEqual() {
    assertThat(read(spec(List.of(priced("a", "1.20", "USD")), List.of())))
        .isEqualTo(read(spec(List.of(priced("a", "1.2", "USD")), List.of())));
  }

  private record OfPool(String name, PoolSpec given, Denial expected) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<OfPool> wrongPools() {
    String path = "pools[a]";
    String grows = path + ".elasticity";
    ElasticitySpec good = elasticity(instance(8, "A100"), 0, 4);
    return Stream.of(
        new OfPool(
            "capacity is no quantity",
            pool("a", "", "many"),
            new Denial.MalformedQuantity(path + ".capacity", "many")),
        new OfPool(
            "capacity is not representable",
            pool("a", "", "0.1234567"),
            new Denial.InexactQuantity(
                path + ".capacity", "0.1234567", new GpuQuantity(15555), new GpuQuantity(15556))),
        new OfPool(
            "order names a profile that is not there",
            pool("a", "", "", "hlaf"),
            new Denial.Unknown(
                path + ".profile_order[0]", Kind.PROFILE, "hlaf", Optional.of("half"))),
        new OfPool(
            "order names a profile twice",
            pool("a", "", "", "half", "half"),
            new Denial.Duplicate(path + ".profile_order[1]", Kind.PROFILE, "half")),
        new OfPool(
            "owner is no id",
            Specs.dedicated("a", new DedicationSpec.ToPolicy("No Id")),
            new Denial.InvalidName(path + ".dedicated_to.policy", Kind.POLICY, "No Id")),
        new OfPool(
            "storage is a path",
            stored("a", "/mnt/shared"),
            new Denial.InvalidName(path + ".storage", Kind.STORAGE, "/mnt/shared")),
        new OfPool(
            "price is no number",
            priced("a", "cheap", ""),
            new Denial.MalformedPrice(path + ".price_per_gpu_hour", "cheap")),
        new OfPool(
            "currency does not exist",
            priced("a", "1", "ZZQ"),
            new Denial.UnknownCurrency(path + ".currency", "ZZQ")),
        new OfPool(
            "minimum above maximum",
            elastic("a", "", elasticity(instance(8, "A100"), 5, 4)),
            new Denial.OutOfRange(grows + ".min_instances", "5", "0", "4")),
        new OfPool(
            "no instance allowed",
            elastic("a", "", elasticity(instance(8, "A100"), 0, 0)),
            new Denial.OutOfRange(grows + ".max_instances", "0", "1", "100000")),
        new OfPool(
            "idle timeout below zero",
            elastic(
                "a",
                "",
                new ElasticitySpec(
                    "exec",
                    Map.of(),
                    good.instance(),
                    0,
                    1,
                    Optional.of(Duration.ofSeconds(-1)),
                    false)),
            new Denial.OutOfRange(
                grows + ".idle_timeout", "PT-1S", "0s", "365d in whole milliseconds")),
        new OfPool(
            "promotion without a wait",
            ruled("a", new PoolRules(Optional.of(Duration.ZERO), false, Optional.empty())),
            new Denial.OutOfRange(
                path + ".promote_after", "PT0S", "1s", "365d in whole milliseconds")),
        new OfPool(
            "half-life of more than a year",
            ruled("a", new PoolRules(Optional.empty(), true, Optional.of(Duration.ofDays(366)))),
            new Denial.OutOfRange(
                path + ".fairness.half_life", "PT8784H", "1s", "365d in whole milliseconds")),
        new OfPool(
            "model with a bell in it",
            pool("a", "H\u0007100", ""),
            new Denial.UnfitText(path + ".gpu_model", 5, 64)),
        new OfPool(
            "setting with a zero byte",
            elastic(
                "a",
                "",
                new ElasticitySpec(
                    "exec", Map.of("key", "x\0"), good.instance(), 0, 1, Optional.empty(), false)),
            new Denial.UnfitText(grows + ".settings[\"key\"]", 2, 10_000)));
  }

  @ParameterizedTest
  @MethodSource("wrongPools")
  void refusesAWrongPoolNamingTheField(OfPool wrong) {
    List<Denial> denials =
        denied(
            ConfigurationReader.read(
                spec(List.of(wrong.given()), List.of(profile("half", "1/2", "a"))), Set.of()));
    assertThat(denials).containsExactly(wrong.expected());
  }

  private record Disagreement(String name, PoolSpec given, String field) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Disagreement> disagreements() {
    ElasticitySpec good = elasticity(instance(8, "A100"), 0, 4);
    return Stream.of(
        new Disagreement(
            "elastic without elasticity",
            new PoolSpec(
                "a",
                true,
                "",
                "",
                false,
                List.of(),
                Optional.empty(),
                "",
                "",
                "",
                Optional.empty(),
                Optional.empty(),
                PoolRules.DEFAULT,
                ""),
            "pools[a].elasticity"),
        new Disagreement(
            "static with elasticity",
            new PoolSpec(
                "a",
                false,
                "",
                "",
                false,
                List.of(),
                Optional.empty(),
                "",
                "",
                "",
                Optional.of(good),
                Optional.empty(),
                PoolRules.DEFAULT,
                ""),
            "pools[a].elasticity"),
        new Disagreement(
            "instance of another model",
            elastic("a", "H100", good),
            "pools[a].elasticity.instance.gpu_model"),
        new Disagreement(
            "GPUs without a model",
            elastic("a", "", elasticity(instance(8, ""), 0, 4)),
            "pools[a].elasticity.instance.gpu_model"),
        new Disagreement(
            "model without GPUs",
            elastic("a", "", elasticity(instance(0, "A100"), 0, 4)),
            "pools[a].elasticity.instance.gpus"),
        new Disagreement(
            "elastic with an instance outside its elasticity",
            new PoolSpec(
                "a",
                true,
                "",
                "",
                false,
                List.of(),
                Optional.empty(),
                "",
                "",
                "",
                Optional.of(good),
                Optional.of(instance(8, "A100")),
                PoolRules.DEFAULT,
                ""),
            "pools[a].instance"),
        new Disagreement(
            "static instance of another model",
            bounded("a", "H100", instance(8, "A100")),
            "pools[a].instance.gpu_model"),
        new Disagreement(
            "static instance without GPUs of a pool of GPUs",
            bounded("a", "A100", new Instance(0, Optional.empty(), 0, 96_000, 1L << 40)),
            "pools[a].instance.gpus"),
        new Disagreement(
            "static instance with a model without GPUs",
            bounded("a", "", instance(0, "A100")),
            "pools[a].instance.gpus"),
        new Disagreement("currency of no price", priced("a", "", "USD"), "pools[a].currency"));
  }

  @ParameterizedTest
  @MethodSource("disagreements")
  void refusesFieldsThatCannotBothBeMeant(Disagreement wrong) {
    assertThat(
            denied(
                ConfigurationReader.read(
                    spec(List.of(wrong.given()), List.of(profile("half", "1/2", "a"))), Set.of())))
        .singleElement()
        .isInstanceOfSatisfying(
            Denial.Contradiction.class,
            denial -> {
              assertThat(denial.field()).isEqualTo(wrong.field());
              assertThat(denial.explanation()).isNotBlank();
            });
  }

  private record OfProfile(String name, ProfileSpec given, Denial expected) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<OfProfile> wrongProfiles() {
    String path = "profiles[half]";
    return Stream.of(
        new OfProfile(
            "quantity is not representable",
            profile("half", "0.1234567", "a"),
            new Denial.InexactQuantity(
                path + ".gpus", "0.1234567", new GpuQuantity(15555), new GpuQuantity(15556))),
        new OfProfile(
            "quantity is none",
            profile("half", "-1", "a"),
            new Denial.MalformedQuantity(path + ".gpus", "-1")),
        new OfProfile(
            "one and a half",
            profile("half", "3/2", "a"),
            new Denial.FractionAboveOne(path + ".gpus", GpuQuantity.parse("3/2"))),
        new OfProfile(
            "no pool",
            profile("half", "1/2"),
            new Denial.ProfileWithoutPool(path + ".pools", "half")),
        new OfProfile(
            "pool that is not there",
            profile("half", "1/2", "a", "b"),
            new Denial.Unknown(path + ".pools[1]", Kind.POOL, "b", Optional.of("a"))),
        new OfProfile(
            "pool that is no id",
            profile("half", "1/2", "a", "-"),
            new Denial.InvalidName(path + ".pools[1]", Kind.POOL, "-")),
        new OfProfile(
            "pool twice",
            profile("half", "1/2", "a", "a"),
            new Denial.Duplicate(path + ".pools[1]", Kind.POOL, "a")),
        new OfProfile(
            "hold after less than nothing",
            holding("half", Duration.ofMillis(-1), "a"),
            new Denial.OutOfRange(
                path + ".hold_after", "PT-0.001S", "0s", "365d in whole milliseconds")),
        new OfProfile(
            "hold after finer than it is kept",
            holding("half", Duration.ofNanos(1), "a"),
            new Denial.OutOfRange(
                path + ".hold_after", "PT0.000000001S", "0s", "365d in whole milliseconds")));
  }

  @ParameterizedTest
  @MethodSource("wrongProfiles")
  void refusesAWrongProfileNamingTheField(OfProfile wrong) {
    assertThat(
            denied(
                ConfigurationReader.read(
                    spec(List.of(pool("a")), List.of(wrong.given())), Set.of())))
        .containsExactly(wrong.expected());
  }

  @Test
  void tellsEverythingThatIsWrongAtOnce() {
    List<Denial> denials =
        denied(
            ConfigurationReader.read(
                spec(
                    List.of(pool("a", "", "x", "none"), pool("No"), pool("a")),
                    List.of(profile("half", "0.1234567", "c"), profile("big", "3/2"))),
                Set.of()));
    assertThat(denials)
        .extracting(denial -> ((Denial.WrongField) denial).field())
        .containsExactly(
            "pools[a].capacity",
            "pools[a].profile_order[0]",
            "pools[1].name",
            "pools[a].name",
            "profiles[half].gpus",
            "profiles[half].pools[0]",
            "profiles[big].gpus",
            "profiles[big].pools");
  }

  @Test
  void aReferenceToSomethingWrongIsNotWrongItself() {
    assertThat(
            denied(
                ConfigurationReader.read(
                    spec(List.of(pool("a", "", "x", "half")), List.of(profile("half", "3/2", "a"))),
                    Set.of())))
        .hasSize(2)
        .noneMatch(Denial.Unknown.class::isInstance);
  }

  @Test
  void answersAHostileRequestBriefly() {
    List<ProfileSpec> profiles = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      profiles.add(profile("p" + i, "x"));
    }
    assertThat(denied(ConfigurationReader.read(spec(List.of(), profiles), Set.of()))).hasSize(100);
  }

  @Test
  void holdsAtMostAThousandPools() {
    List<PoolSpec> pools = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      pools.add(pool("p" + i));
    }
    Configuration full = read(spec(pools, List.of()));
    assertThat(denied(ConfigurationReader.with(full, pool("one-more"))))
        .containsExactly(new Denial.TooMany("pool", Kind.POOL, 1000));
    assertThat(Specs.accepted(ConfigurationReader.with(full, pool("p7", "H100", ""))).pools())
        .hasSize(1000);
  }

  @Test
  void removingTakesLinksAlong() {
    Configuration configuration =
        read(
            spec(
                List.of(pool("a", "", "", "half"), pool("b", "", "", "half", "one")),
                List.of(profile("half", "1/2", "a", "b"), profile("one", "1", "b"))));
    assertThat(configuration.without(new PoolId("b")))
        .isEqualTo(
            new Configuration(
                List.of(configuration.pools().getFirst()),
                List.of(
                    configuration.profiles().getFirst().without(new PoolId("b")),
                    configuration.profiles().getLast().without(new PoolId("b")))));
    assertThat(configuration.without(configuration.profiles().getFirst().id()).pools())
        .extracting(pool -> pool.order().size())
        .containsExactly(0, 1);
  }
}
