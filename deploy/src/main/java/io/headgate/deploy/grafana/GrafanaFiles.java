package io.headgate.deploy.grafana;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The files of deploy/grafana that are made from code.
public final class GrafanaFiles {
  static final List<Dashboard> DASHBOARDS =
      List.of(
          FleetDashboard.make(),
          PoliciesDashboard.make(),
          QueuesDashboard.make(),
          PreemptionDashboard.make(),
          DevicesDashboard.make(),
          NodesDashboard.make(),
          SchedulerDashboard.make(),
          CostDashboard.make(),
          TenantsDashboard.make(),
          HealthDashboard.make());

  /// The rules of Prometheus, below the same directory as the rest.
  static final String RULES = "alerts/headgate.rules.yaml";

  /// Where Grafana sees the dashboards, by its provisioning.
  static final String DASHBOARDS_IN_GRAFANA = "/var/lib/grafana/dashboards/headgate";

  private static final String HEADER =
      "# Made from io.headgate.deploy.grafana.Provisioning; a test compares both. Change the"
          + " addresses and the path in a copy.\n";

  private GrafanaFiles() {}

  /// The provisioning for a Grafana whose Prometheus and Tempo are on its machine, and which sees
  /// the dashboards at its usual place.
  static SortedMap<String, String> provisioning() {
    SortedMap<String, String> files = new TreeMap<>();
    files.put(
        "provisioning/datasources/headgate.yaml",
        HEADER
            + Yaml.dump(
                Provisioning.datasources("http://127.0.0.1:9090", "http://127.0.0.1:3200")));
    files.put(
        "provisioning/dashboards/headgate.yaml",
        HEADER + Yaml.dump(Provisioning.dashboards(DASHBOARDS_IN_GRAFANA)));
    return files;
  }

  /// Their contents, by their paths below deploy/grafana.
  public static SortedMap<String, String> all() {
    SortedMap<String, String> files = new TreeMap<>();
    for (Dashboard dashboard : DASHBOARDS) {
      files.put("dashboards/" + dashboard.id() + ".json", DashboardJson.write(dashboard));
    }
    files.put(RULES, AlertYaml.prometheus());
    files.put("provisioning/alerting/headgate.yaml", AlertYaml.grafana());
    return files;
  }
}
