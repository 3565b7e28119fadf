package io.headgate.pool.grpc;

import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.proto.pool.v1.View;

/// Which state of a configuration a request reads.
final class Views {
  private Views() {}

  static boolean isDraft(View view) {
    return view == View.VIEW_DRAFT;
  }

  static Configuration of(ConfigurationState state, View view) {
    return isDraft(view) ? state.editable() : state.inForce().configuration();
  }
}
