package io.headgate.agent.runtime.ledger;

import java.util.EnumSet;
import java.util.Set;

/// Moments at which a crash is worth a test: one before and after each durable step.
///
/// The system property `headgate.agent.failpoint` names the one at which the process dies as if it
/// was killed. A test goes through all of them, so a new one cannot lack its test.
public enum Failpoint {
  BEFORE_ASSIGNMENT_RECORD,
  AFTER_ASSIGNMENT_RECORD,
  AFTER_SLICE_RECORD,
  AFTER_REALISE,
  AFTER_ADDRESS_RECORD,
  AFTER_GO,
  AFTER_SPEC,
  AFTER_POD_CREATE,
  AFTER_POD_RECORD,
  AFTER_LAUNCH,
  AFTER_REFUSAL_RECORD,
  AFTER_STOP_SENT,
  AFTER_SUSPENDING_RECORD,
  AFTER_CHECKPOINT,
  AFTER_FREEZE,
  AFTER_SUSPENSION_RECORD,
  AFTER_RESUMPTION_RECORD,
  AFTER_RESTORE,
  BEFORE_RELEASE,
  AFTER_POD_DELETE,
  AFTER_RELEASE,
  BEFORE_END_RECORD,
  AFTER_END_RECORD,
  AFTER_UPDATE_RECORD;

  /// The points that only attempts in pods pass.
  public static final Set<Failpoint> OF_PODS =
      EnumSet.of(AFTER_POD_CREATE, AFTER_POD_RECORD, AFTER_POD_DELETE);

  /// The points that only workers of gangs pass.
  public static final Set<Failpoint> OF_GANGS = EnumSet.of(AFTER_ADDRESS_RECORD, AFTER_GO);

  /// The points that only suspended attempts pass.
  public static final Set<Failpoint> OF_SUSPENSIONS =
      EnumSet.range(AFTER_SUSPENDING_RECORD, AFTER_RESTORE);

  public static final String PROPERTY = "headgate.agent.failpoint";

  private static final String ARMED = System.getProperty(PROPERTY, "");

  public void reach() {
    if (ARMED.equals(name())) {
      Runtime.getRuntime().halt(137);
    }
  }
}
