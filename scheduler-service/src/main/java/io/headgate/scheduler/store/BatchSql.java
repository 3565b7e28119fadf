package io.headgate.scheduler.store;

/// The statements of the leader's transactions. Each takes any number of rows as arrays, so that a
/// batch of ten thousand jobs costs as many statements as one of one.
final class BatchSql {
  private BatchSql() {}

  /// First in every transaction: its lock orders writers, and it fails for a deposed one, and for
  /// one that was written since.
  static final String FENCE = "select fence(?, ?, ?, ?, ?, ?, ?)";

  /// How it fails.
  static final String TOO_LATE = "HG001";

  /// Last in every transaction.
  static final String COMMIT = "commit";

  /// Bounds the pauses in a transaction of several round trips. A process that hangs in it keeps
  /// the row of leadership locked, so that no replica could lead. The server ends such a
  /// transaction and its connection after half of the lease. A live process learns that its
  /// transaction did not happen.
  ///
  /// The parameter is the time in milliseconds, as text; 0 would mean no bound.
  static final String BOUND_PAUSES =
      "select set_config('idle_in_transaction_session_timeout', ?, true)";

  static final String INSERT_JOBS =
      """
      insert into job (id, tenant, name, user_id, submitter, by_role, preemptible, stop_time_ms,
        suspend_ms, movable, labels, traceparent, created_at, policy, profile, gpu_units, workers,
        submitted_at, waiting_since, state, sequence, attempts, preempted_by, preempted_rule,
        preempted_grounds, preempted_at, started_at, finished_at, exit_code, draft_code,
        draft_message, cancelled_by, cancel_reason, simulated, version, hold_pauses,
        hold_paused_until, headroom, headroom_start, headroom_until, queue, priority,
        max_runtime_ms, not_before, after_jobs)
      select a, b, c, d, e, f, g, h, i, j, k::text[], l, m, n, o, p, q, r, s, t, u, v, w, x, y, z,
        aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al, am, an, ao, ap, aq, ar, as_
      from unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::boolean[],
        ?::boolean[], ?::bigint[], ?::bigint[], ?::boolean[], ?::text[], ?::text[],
        ?::timestamptz[], ?::text[], ?::text[], ?::bigint[], ?::integer[], ?::timestamptz[],
        ?::timestamptz[], ?::text[], ?::bigint[], ?::integer[], ?::bigint[], ?::text[], ?::text[],
        ?::timestamptz[], ?::timestamptz[], ?::timestamptz[], ?::integer[], ?::text[], ?::text[],
        ?::text[], ?::text[], ?::boolean[], ?::bigint[], ?::integer[], ?::timestamptz[],
        ?::text[], ?::timestamptz[], ?::timestamptz[], ?::text[], ?::integer[], ?::bigint[],
        ?::timestamptz[], ?::text[])
        as rows (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z,
        aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al, am, an, ao, ap, aq, ar, as_)\
      """;

  static final String UPSERT_SPECS =
      """
      insert into job_spec (job_id, document)
      select * from unnest(?::bigint[], ?::bytea[])
      on conflict (job_id) do update set document = excluded.document\
      """;

  static final String UPDATE_JOBS =
      """
      update job set policy = b, profile = c, gpu_units = d, workers = e, submitted_at = f,
        waiting_since = g, state = h, sequence = i, attempts = j, preempted_by = k, preempted_rule = l,
        preempted_grounds = m, preempted_at = n, started_at = o, finished_at = p, exit_code = q,
        draft_code = r, draft_message = s, cancelled_by = t, cancel_reason = u, simulated = v,
        version = w, hold_pauses = x, hold_paused_until = y, headroom = z, headroom_start = aa,
        headroom_until = ab, queue = ac, priority = ad, max_runtime_ms = ae, not_before = af,
        after_jobs = ag
      from unnest(?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::integer[], ?::timestamptz[],
        ?::timestamptz[], ?::text[], ?::bigint[], ?::integer[], ?::bigint[], ?::text[], ?::text[],
        ?::timestamptz[], ?::timestamptz[], ?::timestamptz[], ?::integer[], ?::text[], ?::text[],
        ?::text[], ?::text[], ?::boolean[], ?::bigint[], ?::integer[], ?::timestamptz[], ?::text[],
        ?::timestamptz[], ?::timestamptz[], ?::text[], ?::integer[], ?::bigint[], ?::timestamptz[],
        ?::text[])
        as rows (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z,
        aa, ab, ac, ad, ae, af, ag)
      where id = a\
      """;

  static final String UPSERT_ATTEMPTS =
      """
      insert into attempt (job_id, number, tenant, policy, profile, pool, preemptible, sequence,
        epoch, assigned_at, started_at, checkpoint_at, metered_since,
        metered_busy_ms, metered_measured_ms, checkpoint_mark, done_permyriad,
        progress_message, progress_at, stop_after_ms, stop_cause, stop_by,
        stop_by_name, stop_rule, stop_grounds, stop_worker, stop_ending, stop_outcome,
        stop_message, stop_at, skip_callback, ended_at, outcome, exit_code, error)
      select * from unnest(?::bigint[], ?::integer[], ?::text[], ?::text[], ?::text[], ?::text[],
        ?::boolean[], ?::bigint[], ?::bigint[], ?::timestamptz[], ?::timestamptz[],
        ?::timestamptz[], ?::timestamptz[], ?::bigint[], ?::bigint[], ?::bigint[], ?::integer[], ?::text[], ?::timestamptz[], ?::bigint[],
        ?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::integer[], ?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::boolean[], ?::timestamptz[],
        ?::text[], ?::integer[], ?::text[])
      on conflict (job_id, number) do update set policy = excluded.policy,
        sequence = excluded.sequence,
        started_at = excluded.started_at,
        checkpoint_at = excluded.checkpoint_at, metered_since = excluded.metered_since,
        metered_busy_ms = excluded.metered_busy_ms,
        metered_measured_ms = excluded.metered_measured_ms,
        checkpoint_mark = excluded.checkpoint_mark,
        done_permyriad = excluded.done_permyriad, progress_message = excluded.progress_message,
        progress_at = excluded.progress_at, stop_cause = excluded.stop_cause,
        stop_by = excluded.stop_by, stop_by_name = excluded.stop_by_name,
        stop_rule = excluded.stop_rule, stop_grounds = excluded.stop_grounds,
        stop_worker = excluded.stop_worker,
        stop_ending = excluded.stop_ending, stop_outcome = excluded.stop_outcome,
        stop_message = excluded.stop_message, stop_at = excluded.stop_at,
        skip_callback = excluded.skip_callback, ended_at = excluded.ended_at,
        outcome = excluded.outcome, exit_code = excluded.exit_code, error = excluded.error\
      """;

  static final String UPSERT_WORKERS =
      """
      insert into attempt_worker (job_id, attempt, worker, node, cpu_millis, memory_bytes, devices,
        device_uuids, device_units, device_memory_bytes, device_isolations, device_places, status,
        started_at, ended_at, end_reason, exit_code, error, stop_phases, busy_ms, measured_ms)
      select a, b, c, d, e, f, g::integer[], h::text[], i::bigint[], j::bigint[], k::text[],
        l::text[], m, n, o, p, q, r, s::text[], t, u
      from unnest(?::bigint[], ?::integer[], ?::integer[], ?::text[], ?::bigint[], ?::bigint[],
        ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
        ?::timestamptz[], ?::timestamptz[], ?::text[], ?::integer[], ?::text[], ?::text[],
        ?::bigint[], ?::bigint[])
        as rows (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
      on conflict (job_id, attempt, worker) do update set status = excluded.status,
        started_at = excluded.started_at, ended_at = excluded.ended_at,
        end_reason = excluded.end_reason, exit_code = excluded.exit_code, error = excluded.error,
        stop_phases = excluded.stop_phases, busy_ms = excluded.busy_ms,
        measured_ms = excluded.measured_ms\
      """;

  static final String DELETE_HOLDS =
      "delete from hold using unnest(?::bigint[]) as rows (a) where job_id = a";

  static final String INSERT_HOLDS =
      """
      insert into hold (job_id, tenant, pool, rule, since, expected_start, until, victim_jobs,
        victim_attempts)
      select a, b, c, d, e, f, g, h::bigint[], i::integer[]
      from unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::timestamptz[],
        ?::timestamptz[], ?::text[], ?::text[]) as rows (a, b, c, d, e, f, g, h, i)\
      """;

  static final String INSERT_HOLD_WORKERS =
      """
      insert into hold_worker (job_id, worker, node, cpu_millis, memory_bytes, devices,
        device_uuids, device_units, device_memory_bytes, device_isolations, device_places)
      select a, b, c, d, e, f::integer[], g::text[], h::bigint[], i::bigint[], j::text[],
        k::text[]
      from unnest(?::bigint[], ?::integer[], ?::text[], ?::bigint[], ?::bigint[], ?::text[],
        ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
        as rows (a, b, c, d, e, f, g, h, i, j, k)\
      """;

  static final String INSERT_EVENTS =
      """
      insert into event (version, tenant, time, type, job_id, job, attempt, queue, policy, pool,
        node, by_job, rule, message, detail, phases)
      select a, b, c, d, e, f, g, h, i, j, k, l, m, n, o::text[], p::text[]
      from unnest(?::bigint[], ?::text[], ?::timestamptz[], ?::text[], ?::bigint[], ?::text[],
        ?::integer[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
        ?::text[], ?::text[]) as rows (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)\
      """;

  static final String INSERT_REQUESTS =
      """
      insert into submission_request (subject, request_id, fingerprint, jobs)
      select a, b, c, d::bigint[]
      from unnest(?::text[], ?::text[], ?::text[], ?::text[]) as rows (a, b, c, d)\
      """;

  /// A few old ones with each new one, so that the table stays as large as a day is busy.
  static final String FORGET_REQUESTS =
      """
      delete from submission_request where (subject, request_id) in (
        select subject, request_id from submission_request
        where created_at < now() - interval '24 hours' order by created_at limit 10)\
      """;

  static final String UPSERT_NAMES =
      """
      insert into name_counter (tenant, prefix, last)
      select * from unnest(?::text[], ?::text[], ?::bigint[])
      on conflict (tenant, prefix)
        do update set last = greatest(name_counter.last, excluded.last)\
      """;

  static final String UPSERT_CONTACTS =
      """
      insert into node_contact (tenant, node, boot_id, session_id, agent_version, simulated,
        connected_at)
      select distinct on (a, b) * from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
        ?::boolean[], ?::timestamptz[]) as rows (a, b, c, d, e, f, g)
      order by a, b, g desc
      on conflict (tenant, node) do update set boot_id = excluded.boot_id,
        session_id = excluded.session_id, agent_version = excluded.agent_version,
        simulated = excluded.simulated, connected_at = excluded.connected_at\
      """;

  static final String UPSERT_CATALOG_SOURCE =
      """
      insert into catalog_source (source, incarnation, version) values (?, ?, ?)
      on conflict (source) do update set incarnation = excluded.incarnation,
        version = excluded.version\
      """;

  static final String DELETE_CATALOG = "delete from catalog_entry where source = ?";

  static final String DELETE_CATALOG_ENTRIES =
      """
      delete from catalog_entry using unnest(?::text[], ?::text[]) as rows (a, b)
      where source = a and key = b\
      """;

  static final String UPSERT_CATALOG_ENTRIES =
      """
      insert into catalog_entry (source, key, document)
      select * from unnest(?::text[], ?::text[], ?::bytea[])
      on conflict (source, key) do update set document = excluded.document\
      """;
}
