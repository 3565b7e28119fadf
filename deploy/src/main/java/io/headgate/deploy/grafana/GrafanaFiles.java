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

  private GrafanaFiles() {}

  /// Their contents, by their paths below deploy/grafana.
  public static SortedMap<String, String> all() {
    SortedMap<String, String> files = new TreeMap<>();
    for (Dashboard dashboard : DASHBOARDS) {
      files.put("dashboards/" + dashboard.id() + ".json", DashboardJson.write(dashboard));
    }
    files.put("alerts/headgate.rules.yaml", AlertYaml.prometheus());
    files.put("provisioning/alerting/headgate.yaml", AlertYaml.grafana());
    return files;
  }
}
