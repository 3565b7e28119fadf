package io.headgate.policy.store;

/// Hears of commits that changed the version of a watch, after they happened.
public interface CommitListener {
  /// Hears nothing.
  CommitListener NONE =
      new CommitListener() {
        @Override
        public void access(long version) {}

        @Override
        public void revocations(long version) {}
      };

  /// Rights changed.
  void access(long version);

  /// Tokens ended.
  void revocations(long version);
}
