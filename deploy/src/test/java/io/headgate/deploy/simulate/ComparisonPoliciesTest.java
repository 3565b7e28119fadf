package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.simulate.placement.BestFit;
import io.headgate.deploy.simulate.placement.RandomFit;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.StandardPlacement;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.Simulation;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ScenarioReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The policies that exist for comparison only are complete policies: they place parts, slices,
/// whole devices and gangs.
class ComparisonPoliciesTest {
  static Stream<PlacementPolicy> policies() {
    return Stream.of(new BestFit(), new RandomFit(7), new RandomFit(8));
  }

  private static List<SimulationEvent> run(PlacementPolicy policy)
      throws IOException, ConfigurationException {
    Path file = Path.of("examples", "mig.yaml");
    Scenario scenario = ScenarioMapper.map(ScenarioReader.read(file), null);
    List<SimulationEvent> events = new ArrayList<>();
    new Simulation(scenario, policy, Supplier::get, events::add).run();
    return events;
  }

  private static Set<String> started(List<SimulationEvent> events) {
    Set<String> started = new TreeSet<>();
    for (SimulationEvent event : events) {
      if (event instanceof SimulationEvent.Start start) {
        started.add(start.job());
      }
    }
    return started;
  }

  @ParameterizedTest
  @MethodSource("policies")
  void findPlacesOnSlicedDevices(PlacementPolicy policy)
      throws IOException, ConfigurationException {
    assertThat(started(run(policy))).isEqualTo(started(run(StandardPlacement.TIGHTEST_FIT)));
  }

  @ParameterizedTest
  @MethodSource("policies")
  void decideTheSameAgain(PlacementPolicy policy) throws IOException, ConfigurationException {
    assertThat(run(policy)).isEqualTo(run(policy));
  }
}
