package io.headgate.policy;

import io.grpc.ManagedChannel;
import io.headgate.kit.audit.AuditAnchors;
import io.headgate.kit.audit.AuditChain;
import io.headgate.kit.auth.Revocations;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenSigner;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.RenewedTokens;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.db.EncryptionKeyCommands;
import io.headgate.kit.db.Notifications;
import io.headgate.kit.db.SharedSecrets;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.DeniedCalls;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.kit.watch.WatchHub;
import io.headgate.kit.watch.WatchLimits;
import io.headgate.policy.client.GrpcSupplyChanges;
import io.headgate.policy.client.GrpcSupplyReader;
import io.headgate.policy.client.SupplyMapping;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.signing.RotationRule;
import io.headgate.policy.grpc.PolicyApi;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.AccessReplacement;
import io.headgate.policy.runtime.AccessWriter;
import io.headgate.policy.runtime.AccountKinds;
import io.headgate.policy.runtime.Accounts;
import io.headgate.policy.runtime.ChangeFailpoint;
import io.headgate.policy.runtime.ChangeSettlement;
import io.headgate.policy.runtime.Changes;
import io.headgate.policy.runtime.Enrolment;
import io.headgate.policy.runtime.FailedAttempts;
import io.headgate.policy.runtime.Keys;
import io.headgate.policy.runtime.OwnRevocations;
import io.headgate.policy.runtime.PolicyMetrics;
import io.headgate.policy.runtime.RefusedCalls;
import io.headgate.policy.runtime.Secrets;
import io.headgate.policy.runtime.SigningKeys;
import io.headgate.policy.runtime.Tenants;
import io.headgate.policy.runtime.Tokens;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.SupplyReader;
import io.headgate.policy.store.AccessNotices;
import io.headgate.policy.store.CommitListener;
import io.headgate.policy.store.PostgresPolicyStore;
import io.headgate.policy.store.SealedColumns;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Rights and identity, assembled: the authority on identities and their rights.
///
/// ```java
/// PolicyService policy = new PolicyService(config, telemetry, TimeSource.system());
/// policy.ensureAdminKey(key -> keep(key));      // the first start only
/// ApiServer.Builder api = ApiServer.builder(apiConfig, telemetry).authentication(policy.verifier());
/// policy.register(api);
/// api.build().start();
/// policy.start();
/// ```
public final class PolicyService implements AutoCloseable {
  private static final TokenRules RULES = TokenRules.DEFAULTS;

  /// Verifiers fetch the keys every ten minutes, so a key is published for twice that time before
  /// it signs.
  private static final Duration PUBLISHING_LEAD = Duration.ofMinutes(20);

  private static final Duration REVOCATION_HEARTBEAT = Duration.ofSeconds(2);

  private static final String METER = "io.headgate.policy";
  private static final String PAGE_TOKEN_KEY = "page-tokens";
  private static final String NODE_KEY_DERIVATION = "node-key-derivation";

  /// The columns of an entry in the order in which the schema's trigger hashes them.
  static final List<String> AUDITED =
      List.of(
          "audit_id",
          "at",
          "tenant_id",
          "actor",
          "address",
          "request_id",
          "action",
          "target",
          "outcome",
          "reason",
          "fields",
          "before",
          "after");

  private final PolicyServiceConfig config;
  private final TimeSource time;
  private final Database database;
  private final ManagedChannel pools;
  private final ManagedChannel poolsAsService;
  private final ChangeSettlement settlement;
  private final WatchHub watches;
  private final WatchHub revocationWatches;
  private final Revocations revocations;
  private final OwnRevocations ownRevocations;
  private final PolicyMetrics metrics;
  private final Tenants tenants;
  private final Keys keys;
  private final SigningKeys signing;
  private final AuditChain audit;
  private final AuditAnchors anchors;
  private final PolicyApi api;
  private @Nullable Notifications notices;
  private @Nullable Notifications revocationNotices;

  /// Migrates the schema and opens the resources of the service; it does not serve yet.
  public PolicyService(PolicyServiceConfig config, Telemetry telemetry, TimeSource time) {
    this(config, telemetry, time, ChangeFailpoint.Handler.NONE);
  }

  /// With failpoints, for tests.
  public PolicyService(
      PolicyServiceConfig config,
      Telemetry telemetry,
      TimeSource time,
      ChangeFailpoint.Handler failpoints) {
    this.config = config;
    this.time = time;
    this.database = Database.open(config.database());
    Seal seal = seal(database, config.secretsDirectory(), time);
    database.observe(telemetry.meter(METER));
    this.pools = Channels.open(config.pools(), TokenSource.anonymous(), telemetry);
    this.watches = new WatchHub("access", config.watches(), telemetry.meter(METER));
    this.metrics = new PolicyMetrics(telemetry.meter(METER), DeniedCalls.of(telemetry));
    // Often enough to prove to verifiers that the watch is alive.
    this.revocationWatches =
        new WatchHub(
            "revocations",
            new WatchLimits(
                REVOCATION_HEARTBEAT, config.watches().patience(), config.watches().maxWatchers()),
            telemetry.meter(METER + ".revocations"));
    Changes changes = new Changes(new PostgresPolicyStore(database, seal, time, committed()), time);
    this.revocations = Revocations.ofIssuer(time);
    this.ownRevocations = new OwnRevocations(changes, revocations);
    Changes own = changes.acrossTenants();
    this.tenants = new Tenants(own);
    SharedSecrets shared = new SharedSecrets(database, seal, "service_secrets", "name");
    Secrets secrets = new Secrets(shared.get(NODE_KEY_DERIVATION, Secrets.DERIVATION_KEY_LENGTH));
    this.keys = new Keys(own, secrets);
    this.signing = new SigningKeys(own, rotation(), RULES, time);
    this.audit = new AuditChain(database, AUDITED);
    this.anchors = new AuditAnchors("policy", audit, telemetry.meter(METER));
    RefusedCalls refused = new RefusedCalls(changes, time);
    FailedAttempts attempts = new FailedAttempts(time);
    Tokens tokens =
        new Tokens(
            changes,
            signing,
            new Tokens.Guard(attempts, refused, metrics),
            new Tokens.Lifetimes(config.tokens().personLifetime(), config.tokens().lifetime()));
    this.poolsAsService =
        Channels.open(config.pools(), new RenewedTokens(() -> own(tokens), time), telemetry);
    this.settlement = new ChangeSettlement(own, new GrpcSupplyChanges(poolsAsService), failpoints);
    this.api =
        api(
            changes,
            secrets,
            new PageTokens(shared.get(PAGE_TOKEN_KEY, PageTokens.KEY_LENGTH)),
            new Callers(refused, attempts, tokens),
            failpoints);
  }

  /// Leaves nothing open if the file does not belong to the database.
  private static Seal seal(Database database, Path secrets, TimeSource time) {
    try {
      return SealedColumns.open(database, new KeyFile(secrets), time);
    } catch (RuntimeException | Error e) {
      database.close();
      throw e;
    }
  }

  /// The parts that deal with callers.
  private record Callers(RefusedCalls refused, FailedAttempts attempts, Tokens tokens) {}

  private static RenewedTokens.Issued own(Tokens tokens) {
    TokenSigner.Signed own = tokens.own();
    return new RenewedTokens.Issued(own.token(), own.expires());
  }

  /// Passes the installation's first operator key to `recipient`, which must have stored it when it
  /// returns. Does nothing if there ever was an operator.
  ///
  /// @return whether a key was created
  public boolean ensureAdminKey(Consumer<Secret> recipient) {
    return keys.ensureAdminKey(secret -> recipient.accept(Secret.of(secret.text())));
  }

  /// Replaces all keys of `operators/root` by a new key, for an operator who lost it.
  public void resetAdminKey(Consumer<Secret> recipient) {
    keys.resetAdminKey(secret -> recipient.accept(Secret.of(secret.text())));
  }

  /// Creates a key as the operator of this machine, for a process that is set up together with this
  /// one.
  ///
  /// @param owner `services/scheduler`, `tenants/acme/users/ada`, ...
  public Secret createKey(String owner, String description) {
    KeyOwner parsed =
        KeyOwner.parse(owner)
            .orElseThrow(() ->
                new IllegalArgumentException("no principal that can have a key: '" + owner + "'"));
    Keys.NewKey wanted = new Keys.NewKey(parsed, description, Optional.empty());
    return Secret.of(keys.create(Origin.LOCAL, wanted).secret().text());
  }

  /// Creates a tenant as the operator of this machine; an existing tenant does not change.
  ///
  /// @param id 1 to 63 lower-case letters, digits and hyphens, starting with a letter
  public void ensureTenant(String id) {
    tenants.ensure(Origin.LOCAL, new TenantId(id), "");
  }

  /// Invalidates every issued token, for an operator whose signing keys were stolen.
  public void replaceSigningKeys() {
    signing.replaceAll();
  }

  /// The commands for the key-encryption key of the service on this database.
  public static EncryptionKeyCommands encryptionKey(DatabaseConfig config, Path secrets) {
    return new EncryptionKeyCommands(
        config, secrets, SealedColumns.RENEWABLE, SealedColumns::removeFormerSigningKeys);
  }

  /// Accepts the tokens of this service, without a call to another process.
  public TokenVerifier verifier() {
    return new TokenVerifier(RULES, signing, time, revocations);
  }

  /// Registers its gRPC services with a server that others may share.
  public void register(ApiServer.Builder server) {
    api.register(server);
  }

  /// Creates the initial resources of an installation, and starts to listen for changes of other
  /// instances.
  ///
  /// @throws IllegalStateException if a signing key cannot be decrypted, because it was changed
  public void start() {
    signing.start();
    config
        .defaultTenant()
        .ifPresent(tenant -> tenants.ensure(Origin.LOCAL, new TenantId(tenant), ""));
    notices = AccessNotices.listen(database, watches::committed);
    revocationNotices = AccessNotices.ofRevocations(database, this::revokedElsewhere);
    ownRevocations.start();
    settlement.start();
    anchors.start();
  }

  @Override
  public void close() {
    if (notices != null) {
      notices.close();
    }
    if (revocationNotices != null) {
      revocationNotices.close();
    }
    anchors.close();
    ownRevocations.close();
    settlement.close();
    watches.close();
    revocationWatches.close();
    Channels.close(poolsAsService);
    Channels.close(pools);
    database.close();
  }

  private PolicyApi api(
      Changes changes,
      Secrets secrets,
      PageTokens pageTokens,
      Callers callers,
      ChangeFailpoint.Handler failpoints) {
    SupplyReader supplies = new GrpcSupplyReader(pools);
    AccessWriter writer = new AccessWriter(changes);
    return new PolicyApi(
        changes,
        new PolicyApi.Identities(
            new Tenants(changes),
            new Accounts<>(AccountKinds.USERS, changes, writer),
            new Accounts<>(AccountKinds.SERVICE_ACCOUNTS, changes, writer),
            new Keys(changes, secrets),
            callers.tokens(),
            signing,
            new Enrolment(changes, secrets, supplies, settlement, callers.attempts()),
            revocationWatches,
            audit),
        new PolicyApi.Access(
            new AccessConfigurations(changes, writer, supplies, settlement),
            new AccessReplacement(changes, writer, supplies, settlement, failpoints),
            watches,
            SupplyMapping::resources),
        callers.refused(),
        pageTokens);
  }

  private CommitListener committed() {
    return new CommitListener() {
      @Override
      public void access(long version) {
        metrics.accessChanged();
        watches.committed(version);
      }

      @Override
      public void revocations(long version) {
        ownRevocations.refresh();
        revocationWatches.committed(version);
      }
    };
  }

  private void revokedElsewhere(long version) {
    ownRevocations.refresh();
    revocationWatches.committed(version);
  }

  private RotationRule rotation() {
    // Twice the skew: the clocks of issuer and verifier may err in opposite directions.
    Duration tail = config.tokens().longest().plus(RULES.clockSkew().multipliedBy(2));
    return new RotationRule(config.tokens().rotation(), PUBLISHING_LEAD, tail);
  }
}
