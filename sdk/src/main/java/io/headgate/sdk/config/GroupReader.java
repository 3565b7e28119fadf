package io.headgate.sdk.config;

import java.util.ArrayList;
import java.util.List;

/// Reads the `groups` section.
final class GroupReader {

  private GroupReader() {}

  static List<Group> read(MappingReader root, SectionNames sections) {
    List<Group> groups = new ArrayList<>();
    for (MappingReader fields : root.items("groups", ConfigurationKeys.GROUPS.names())) {
      ValueReader values = new ValueReader(fields);
      String name = values.id("name", "give the group a name");
      sections.groups().claim(fields, name);
      List<String> users = values.ids("users");
      groups.add(
          new Group(
              name,
              users,
              values.ids("serviceAccounts"),
              values.references("leads", DeclaredNames.of("user", users))));
    }
    return groups;
  }
}
