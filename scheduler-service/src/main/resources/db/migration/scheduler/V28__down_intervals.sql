-- Which unused slices were down: on nodes or devices that take no work. The leader writes it as the rest of the ledger, and
-- the slices of a pool add up to its steps' down. Names are those of the pool's tenant.

-- A period in which the same slices of a node were down. Written when it is over. None is longer than six hours.
create table down_interval (
  tenant       text        not null,        -- of the pool
  pool         text        not null,
  node         text        not null,
  since        timestamptz not null,
  until        timestamptz not null,
  devices      integer[]   not null,        -- slices; one entry in each array
  device_uuids text[]      not null,
  device_units bigint[]    not null,
  check (since < until)
) partition by range (until);
create table down_interval_rest partition of down_interval default;
create index down_interval_by_begin on down_interval (tenant, since);
select guard_tenant('down_interval', 'tenant');

-- The slices that are down now. The interval is written when it is over.
create table down_slices (
  tenant       text        not null,        -- of the pool
  pool         text        not null,
  node         text        not null,
  since        timestamptz not null,
  devices      integer[]   not null,
  device_uuids text[]      not null,
  device_units bigint[]    not null,
  primary key (tenant, node)
);
select guard_tenant('down_slices', 'tenant');

-- The intervals of a small tenant among those of large ones: 31 MB for a million intervals.
create index usage_interval_by_tenant on usage_interval (tenant, until);

create or replace function is_ledger_table(parent text) returns boolean language sql immutable as $$
  select parent in ('usage_interval', 'down_interval', 'pool_step', 'shortage_step', 'usage_hour', 'wait_hour', 'pool_hour')
$$;
