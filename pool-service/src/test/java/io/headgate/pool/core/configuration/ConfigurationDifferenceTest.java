package io.headgate.pool.core.configuration;

import static io.headgate.pool.core.configuration.Specs.elastic;
import static io.headgate.pool.core.configuration.Specs.elasticity;
import static io.headgate.pool.core.configuration.Specs.instance;
import static io.headgate.pool.core.configuration.Specs.pool;
import static io.headgate.pool.core.configuration.Specs.profile;
import static io.headgate.pool.core.configuration.Specs.read;
import static io.headgate.pool.core.configuration.Specs.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.decision.FieldChange;
import io.headgate.pool.core.configuration.ConfigurationSpec.ElasticitySpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConfigurationDifferenceTest {
  private final Configuration base =
      read(spec(List.of(pool("a", "H100", "8")), List.of(profile("half", "1/2", "a"))));

  @Test
  void equalConfigurationsDifferInNothing() {
    assertThat(ConfigurationDifference.between(base, base)).isEmpty();
  }

  @Test
  void namesEachFieldWithBothValues() {
    Configuration next =
        read(spec(List.of(pool("a", "H100", "9", "half")), List.of(profile("half", "0.25", "a"))));
    assertThat(ConfigurationDifference.between(base, next))
        .containsExactly(
            new FieldChange("pools[a].capacity", "8", "9"),
            new FieldChange("profiles[half].gpus", "1/2", "1/4"),
            new FieldChange("pools[a].profile_order", "", "half"));
  }

  @Test
  void additionsAndRemovalsAreDifferencesOfAllTheirFields() {
    assertThat(ConfigurationDifference.between(Configuration.EMPTY, base))
        .contains(new FieldChange("profiles[half].gpus", "", "1/2"))
        .allMatch(difference -> difference.before().isEmpty());
    assertThat(ConfigurationDifference.between(base, Configuration.EMPTY))
        .contains(new FieldChange("profiles[half].gpus", "1/2", ""))
        .allMatch(difference -> difference.after().isEmpty());
  }

  @Test
  void showsThatASettingChangedButNotWhatItIs() {
    List<FieldChange> differences =
        ConfigurationDifference.between(growing("canary-1"), growing("canary-2"));
    assertThat(differences)
        .containsExactly(
            new FieldChange("pools[a].elasticity.settings[\"token\"]", "(hidden)", "(hidden)"));
  }

  private static Configuration growing(String token) {
    ElasticitySpec base = elasticity(instance(8, "A100"), 0, 1);
    ElasticitySpec secret =
        new ElasticitySpec(
            "exec", Map.of("token", token), base.instance(), 0, 1, Optional.empty(), false);
    return read(spec(List.of(elastic("a", "", secret)), List.of()));
  }
}
