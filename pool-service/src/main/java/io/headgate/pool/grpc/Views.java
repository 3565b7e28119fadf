package io.headgate.pool.grpc;

import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.proto.pool.v1.View;

/// Selects the draft or the provisioned configuration for a request.
final class Views {
  private Views() {}

  static boolean isDraft(View view) {
    return view == View.VIEW_DRAFT;
  }

  static Configuration of(ConfigurationState state, View view) {
    return isDraft(view) ? state.editable() : state.inForce().configuration();
  }
}
