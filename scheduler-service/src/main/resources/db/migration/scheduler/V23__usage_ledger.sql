-- The usage ledger. The leader writes it in the transaction of each decision; UsageRollup sums it up by hour and day.
-- Quantities are in 1/126000 GPU. Times are whole milliseconds, so that sums over any period are exact. Amounts of time are
-- in 1/126000 GPU × milliseconds. A pool that tenants share is named platform/NAME.

-- A period in which a job had the same slices, under the same rights and at the same price. Written when it is over. None is
-- longer than six hours: a longer one is cut.
create table usage_interval (
  tenant           text        not null,
  departments      text[]      not null,    -- above the policy, the lowest first
  policy           text        not null,
  group_name       text        not null,    -- of the policy; empty: the policy is gone
  queue            text        not null,
  profile          text        not null,
  pool             text        not null,
  user_id          text        not null,
  job_id           bigint      not null,
  attempt          integer     not null,    -- 0: free slices that are held for the job
  since            timestamptz not null,
  until            timestamptz not null,
  entitled         bigint      not null,
  over_reservation bigint      not null,
  above_limit      bigint      not null,
  held             bigint      not null,
  waited_ms        bigint,                  -- only the first of an attempt: how long the job had waited
  preempted        boolean     not null,    -- whether the attempt had to go at the end for another job
  lost             bigint      not null,    -- unit-ms: the work that this preemption lost
  busy_ms          bigint,                  -- GPU-ms that the attempt computed; absent: not measured
  measured_ms      bigint,                  -- GPU-ms over which that was measured
  price            numeric(15,6),           -- of one GPU for an hour; absent: the pool has none
  currency         text        not null,
  nodes            text[]      not null,    -- slices; one entry in each array
  devices          integer[]   not null,
  device_uuids     text[]      not null,
  device_units     bigint[]    not null,
  check (since < until)
) partition by range (until);
create table usage_interval_rest partition of usage_interval default;
create index usage_interval_by_time on usage_interval using brin (until) with (pages_per_range = 16);
create index usage_interval_by_job on usage_interval (job_id);
select guard_tenant('usage_interval', 'tenant');

-- Since when the attempt's present interval lasts; absent: it has no slices.
alter table attempt
  add column metered_since       timestamptz,
  add column metered_busy_ms     bigint,           -- what earlier intervals of it told
  add column metered_measured_ms bigint;

-- The free slices that are held for jobs now. The interval is written when it is over.
create table held_slices (
  job_id       bigint      primary key,
  tenant       text        not null,
  departments  text[]      not null,
  policy       text        not null,
  group_name   text        not null,
  queue        text        not null,
  profile      text        not null,
  pool         text        not null,
  user_id      text        not null,
  since        timestamptz not null,
  price        numeric(15,6),
  currency     text        not null,
  nodes        text[]      not null,
  devices      integer[]   not null,
  device_uuids text[]      not null,
  device_units bigint[]    not null
);
select guard_tenant('held_slices', 'tenant');

-- What a pool has from a time on, until its next step: capacity = entitled + over_reservation + above_limit + held + idle + down.
create table pool_step (
  tenant           text        not null,
  pool             text        not null,
  at               timestamptz not null,
  capacity         bigint      not null,    -- of the devices of its nodes, in service or not
  entitled         bigint      not null,
  over_reservation bigint      not null,
  above_limit      bigint      not null,
  held             bigint      not null,
  idle             bigint      not null,
  unusable         bigint      not null,    -- the part of idle that no profile can use
  down             bigint      not null,
  primary key (tenant, pool, at)
) partition by range (at);
create table pool_step_rest partition of pool_step default;
select guard_tenant('pool_step', 'tenant');

-- What a policy lacks of its reservation while its jobs wait, from a time on, until its next step.
create table shortage_step (
  tenant      text        not null,
  policy      text        not null,
  at          timestamptz not null,
  reservation bigint      not null,
  missing     bigint      not null,         -- 0: nothing
  reason      text        not null,         -- why its first job waits; empty where nothing is missing
  primary key (tenant, policy, at)
) partition by range (at);
create table shortage_step_rest partition of shortage_step default;
select guard_tenant('shortage_step', 'tenant');

-- The rights of a policy from a time on, until its next step. They change seldom, and are kept.
create table reservation_step (
  tenant      text        not null,
  policy      text        not null,
  at          timestamptz not null,
  departments text[]      not null,         -- above the policy, the lowest first
  reservation bigint      not null,         -- 0, as the limit: the policy is gone
  "limit"     bigint      not null,
  primary key (tenant, policy, at)
);
select guard_tenant('reservation_step', 'tenant');

-- Sums of an hour. A row for each combination that was used in it.
create table usage_hour (
  at               timestamptz not null,
  tenant           text        not null,
  departments      text[]      not null,
  policy           text        not null,
  group_name       text        not null,
  queue            text        not null,
  profile          text        not null,
  pool             text        not null,
  user_id          text        not null,
  price            numeric(15,6),
  currency         text        not null,
  entitled         bigint      not null,    -- unit-ms, as the following
  over_reservation bigint      not null,
  above_limit      bigint      not null,
  held             bigint      not null,
  lost             bigint      not null,
  preemptions      bigint      not null,
  starts           bigint      not null,
  busy_ms          bigint      not null,
  measured_ms      bigint      not null
) partition by range (at);
create table usage_hour_rest partition of usage_hour default;
create index usage_hour_by_time on usage_hour (at);
select guard_tenant('usage_hour', 'tenant');
create table usage_day (like usage_hour including all);
select guard_tenant('usage_day', 'tenant');

-- How long jobs had waited that started in an hour, by bucket: floor(8 log2(ms + 1)).
create table wait_hour (
  at          timestamptz not null,
  tenant      text        not null,
  departments text[]      not null,
  policy      text        not null,
  queue       text        not null,
  profile     text        not null,
  pool        text        not null,
  user_id     text        not null,
  bucket      integer     not null,
  starts      bigint      not null
) partition by range (at);
create table wait_hour_rest partition of wait_hour default;
create index wait_hour_by_time on wait_hour (at);
select guard_tenant('wait_hour', 'tenant');
create table wait_day (like wait_hour including all);
select guard_tenant('wait_day', 'tenant');

-- Sums of a pool's steps.
create table pool_hour (
  at               timestamptz not null,
  tenant           text        not null,
  pool             text        not null,
  capacity         bigint      not null,    -- unit-ms, as the following
  entitled         bigint      not null,
  over_reservation bigint      not null,
  above_limit      bigint      not null,
  held             bigint      not null,
  idle             bigint      not null,
  unusable         bigint      not null,
  down             bigint      not null,
  primary key (at, tenant, pool)
) partition by range (at);
create table pool_hour_rest partition of pool_hour default;
select guard_tenant('pool_hour', 'tenant');
create table pool_day (like pool_hour including all);
select guard_tenant('pool_day', 'tenant');

-- Up to when hours and days are summed up. What is later is summed up from the intervals.
create table usage_rollup (
  level text        primary key check (level in ('HOUR', 'DAY')),
  until timestamptz not null
);

-- Weeks of the ledger are tables of the schema's owner, as those of events are.
create function is_ledger_table(parent text) returns boolean language sql immutable as $$
  select parent in ('usage_interval', 'pool_step', 'shortage_step', 'usage_hour', 'wait_hour', 'pool_hour')
$$;

create function add_ledger_week(parent text, monday date) returns void language plpgsql
security definer set search_path = scheduler, pg_temp as $$
declare
  week text := parent || '_' || to_char(monday, 'YYYYMMDD');
begin
  if extract(isodow from monday) <> 1 or not is_ledger_table(parent) then
    raise exception '% of % is no week of the ledger', monday, parent;
  end if;
  execute format(
    'create table %I partition of %I for values from (%L) to (%L)',
    week, parent, monday::timestamp at time zone 'UTC', (monday + 7)::timestamp at time zone 'UTC');
end $$;

create function drop_ledger_week(parent text, monday date) returns void language plpgsql
security definer set search_path = scheduler, pg_temp as $$
begin
  if not is_ledger_table(parent) then
    raise exception '% is no table of the ledger', parent;
  end if;
  execute format('drop table if exists %I', parent || '_' || to_char(monday, 'YYYYMMDD'));
end $$;
