package io.headgate.sdk.config;

import java.util.ArrayList;
import java.util.List;

/// Reads the `groups` section.
final class GroupReader {
  private static final List<String> KEYS = List.of("name", "users", "serviceAccounts");

  private GroupReader() {}

  static List<Group> read(MappingReader root, SectionNames sections) {
    List<Group> groups = new ArrayList<>();
    for (MappingReader fields : root.items("groups", KEYS)) {
      ValueReader values = new ValueReader(fields);
      String name = values.id("name", "give the group a name");
      sections.groups().claim(fields, name);
      groups.add(new Group(name, values.ids("users"), values.ids("serviceAccounts")));
    }
    return groups;
  }
}
