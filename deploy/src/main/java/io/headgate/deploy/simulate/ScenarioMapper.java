package io.headgate.deploy.simulate;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.Scenario.Action;
import io.headgate.scheduler.simulation.Scenario.JobPlan;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ScenarioFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Turns a scenario file into the simulation's values, with defaults for fields that the file
/// omits. `headgate simulate --help` or deploy/examples/README.md states each default.
final class ScenarioMapper {
  private static final String ANY_TENANT = "tenant";

  private final TenantId tenant;
  private final CatalogMapper catalogs;

  private ScenarioMapper(@Nullable String tenant) {
    this.tenant = new TenantId(tenant == null ? ANY_TENANT : tenant);
    this.catalogs = new CatalogMapper(this.tenant);
  }

  /// @param until end of the simulation, which overrides the file's; null: as in the file
  static Scenario map(ScenarioFile file, @Nullable Duration until) {
    Configuration configuration = file.configuration();
    ScenarioMapper mapper = new ScenarioMapper(configuration.tenant());
    MachineMapper machines = new MachineMapper(mapper.tenant, configuration);
    Catalog catalog = mapper.catalogs.map(configuration);
    List<Scenario.Running> running = new ArrayList<>();
    var nodes = machines.nodes(file.nodes());
    machines.claim(file.running());
    for (var each : file.running()) {
      running.add(
          new Scenario.Running(
              mapper.job(each.job()),
              each.attempt(),
              machines.place(each, profile(configuration, each.job().queue())),
              each.startedAgo()));
    }
    return new Scenario(
        catalog,
        nodes,
        running,
        file.waiting().stream()
            .map(each ->
                new Scenario.Waiting(mapper.job(each.job()), each.count(), each.waitedSince()))
            .toList(),
        file.events().stream()
            .map(event -> new Scenario.Event(event.at(), mapper.action(event.action())))
            .toList(),
        new Scenario.Options(
            file.options().stopTime(),
            file.options().provisionTime(),
            Optional.ofNullable(until != null ? until : file.options().until())));
  }

  /// The catalog of another configuration, for a scenario of this tenant.
  static Catalog catalog(@Nullable String tenant, Configuration configuration) {
    return new ScenarioMapper(tenant).catalogs.map(configuration);
  }

  private Action action(ScenarioFile.Action action) {
    return switch (action) {
      case ScenarioFile.Action.Submit(var job, int count) -> new Action.Submit(job(job), count);
      case ScenarioFile.Action.Cancel(String job) -> new Action.Cancel(job);
      case ScenarioFile.Action.NodeDown(String node) ->
          new Action.NodeDown(new NodeId(tenant, node));
      case ScenarioFile.Action.NodeUp(String node) -> new Action.NodeUp(new NodeId(tenant, node));
      case ScenarioFile.Action.Configure(var configuration) ->
          new Action.Provision(catalogs.map(configuration));
    };
  }

  private JobPlan job(ScenarioFile.DeclaredJob job) {
    return new JobPlan(
        job.name(),
        new QueueId(tenant, job.queue()),
        new UserId(job.user()),
        job.priority(),
        Optional.ofNullable(job.preemptible()),
        job.movable(),
        Optional.ofNullable(job.maxRuntime()),
        Optional.ofNullable(job.duration()),
        Optional.ofNullable(job.checkpoint()));
  }

  private static io.headgate.sdk.config.Profile profile(Configuration configuration, String queue) {
    String name =
        configuration.policies().stream()
            .flatMap(policy -> policy.queues().stream())
            .filter(each -> each.name().equals(queue))
            .map(each -> each.profile())
            .findFirst()
            .orElseThrow();
    return configuration.profiles().stream()
        .filter(profile -> profile.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
