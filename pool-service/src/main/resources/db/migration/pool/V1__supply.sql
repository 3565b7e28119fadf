-- Supply. What belongs to a tenant has tenant_id first in its primary key.
-- GPU quantities are in units of 1/126000 GPU, memory in bytes, CPU in thousandths of a core.

-- The version of everything that watchers see. Each transaction that changes it updates this row
-- last, so versions become visible in their order and none is left out.
create table catalog (
  only_row boolean primary key default true check (only_row),
  version  bigint not null,
  -- Changes after this version are in catalog_changes; whoever has seen less needs a snapshot.
  horizon  bigint not null check (horizon <= version)
);
insert into catalog (version, horizon) values (1, 1);

create table catalog_changes (
  version    bigint primary key,
  changed_at timestamptz not null,
  tenant_id  text not null,
  -- Null: the tenant's configuration changed.
  node_id    text
);

-- One row a tenant; locked by whoever changes the tenant's configuration or draft.
create table configurations (
  tenant_id    text primary key,
  -- The version in force; 0: none yet.
  version      bigint not null default 0 check (version >= 0),
  last_content bigint not null default 0
);

-- Pools, profiles and links written together, never changed afterwards. Versions and drafts point
-- at one, so that provisioning moves a pointer and a version stays exactly what was provisioned.
create table contents (
  tenant_id  text not null references configurations,
  content_id bigint not null check (content_id > 0),
  primary key (tenant_id, content_id)
);

create table versions (
  tenant_id      text not null,
  version        bigint not null check (version > 0),
  content_id     bigint not null,
  provisioned_at timestamptz not null,
  provisioned_by text not null,
  primary key (tenant_id, version),
  foreign key (tenant_id, content_id) references contents
);

create table drafts (
  tenant_id    text primary key,
  base_version bigint not null,
  content_id   bigint not null,
  updated_at   timestamptz not null,
  updated_by   text not null,
  foreign key (tenant_id, content_id) references contents
);

create table pools (
  tenant_id          text not null,
  content_id         bigint not null,
  pool_id            text not null,
  gpu_model          text,
  capacity_units     bigint check (capacity_units >= 0),
  dedicated_policy   text,
  dedicated_group    text,
  price_per_gpu_hour numeric(15, 6) check (price_per_gpu_hour >= 0),
  currency           text,
  description        text not null,
  primary key (tenant_id, content_id, pool_id),
  foreign key (tenant_id, content_id) references contents on delete cascade,
  check (dedicated_policy is null or dedicated_group is null),
  check (currency is null or price_per_gpu_hour is not null)
);

-- How elastic pools grow; a pool without is static.
create table elasticities (
  tenant_id          text not null,
  content_id         bigint not null,
  pool_id            text not null,
  provider           text not null,
  instance_gpus      int not null check (instance_gpus >= 0),
  instance_gpu_model text,
  gpu_memory_bytes   bigint not null check (gpu_memory_bytes >= 0),
  cpu_millis         bigint not null check (cpu_millis >= 0),
  memory_bytes       bigint not null check (memory_bytes >= 0),
  min_instances      int not null check (min_instances >= 0),
  max_instances      int not null check (max_instances >= min_instances),
  idle_timeout_ms    bigint not null check (idle_timeout_ms >= 0),
  spot               boolean not null,
  primary key (tenant_id, content_id, pool_id),
  foreign key (tenant_id, content_id, pool_id) references pools on delete cascade
);

create table provider_settings (
  tenant_id  text not null,
  content_id bigint not null,
  pool_id    text not null,
  key        text not null,
  value      text not null,
  primary key (tenant_id, content_id, pool_id, key),
  foreign key (tenant_id, content_id, pool_id) references elasticities on delete cascade
);

create table profiles (
  tenant_id        text not null,
  content_id       bigint not null,
  profile_id       text not null,
  gpus_units       bigint not null check (gpus_units >= 0),
  workers          int not null check (workers >= 1),
  cpu_millis       bigint not null check (cpu_millis >= 0),
  memory_bytes     bigint not null check (memory_bytes >= 0),
  -- 0: the same fraction of the device's memory as of the device.
  gpu_memory_bytes bigint not null check (gpu_memory_bytes >= 0),
  isolation        text not null
    check (isolation in ('NONE', 'REACTIVE', 'DRIVER_PROCESS', 'DRIVER_CONTAINER', 'HARDWARE')),
  hold_after_ms    bigint not null check (hold_after_ms >= 0),
  reclaim          text not null check (reclaim in ('RESERVATION', 'STRICT', 'RANK')),
  description      text not null,
  primary key (tenant_id, content_id, profile_id),
  foreign key (tenant_id, content_id) references contents on delete cascade
);

-- Profile × pool. Positions count from 0, the first wins.
create table links (
  tenant_id          text not null,
  content_id         bigint not null,
  profile_id         text not null,
  pool_id            text not null,
  -- Of the pool among the profile's. Null: no link, the pool's order names the profile only.
  routing_position   int check (routing_position >= 0),
  -- Of the profile among the pool's. Null: after those that have one, by id.
  execution_position int check (execution_position >= 0),
  primary key (tenant_id, content_id, profile_id, pool_id),
  foreign key (tenant_id, content_id, profile_id) references profiles on delete cascade,
  foreign key (tenant_id, content_id, pool_id) references pools on delete cascade,
  unique (tenant_id, content_id, profile_id, routing_position),
  unique (tenant_id, content_id, pool_id, execution_position),
  check (routing_position is not null or execution_position is not null)
);

create table nodes (
  tenant_id     text not null,
  node_id       text not null,
  -- Says the token that the node joined with; no reference, for nodes may join before the
  -- configuration is provisioned and outlive it.
  pool_id       text not null,
  cpu_millis    bigint not null check (cpu_millis >= 0),
  memory_bytes  bigint not null check (memory_bytes >= 0),
  simulated     boolean not null,
  driver        text not null,
  agent_version text not null,
  hostname      text not null,
  draining      boolean not null,
  drain_reason  text not null,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (tenant_id, node_id),
  check (draining or drain_reason = '')
);

create table devices (
  tenant_id    text not null,
  node_id      text not null,
  device_index int not null check (device_index >= 0),
  uuid         text not null,
  gpu_model    text not null,
  memory_bytes bigint not null check (memory_bytes >= 0),
  geometry     text not null check (geometry in ('CONTINUOUS', 'MIG', 'AMD_PARTITION')),
  isolation    text not null
    check (isolation in ('NONE', 'REACTIVE', 'DRIVER_PROCESS', 'DRIVER_CONTAINER', 'HARDWARE')),
  primary key (tenant_id, node_id, device_index),
  unique (tenant_id, node_id, uuid),
  foreign key (tenant_id, node_id) references nodes on delete cascade
);

-- What was answered, for requests that may be repeated.
create table request_log (
  caller         text not null,
  method         text not null,
  request_id     text not null,
  request_sha256 text not null,
  answer         bytea,
  created_at     timestamptz not null,
  primary key (caller, method, request_id)
);
create index request_log_by_age on request_log (created_at);

-- Keys of the service itself, by use.
create table secrets (
  use   text primary key,
  value bytea not null
);

-- What happened, for ever. fields, before and after are parallel.
create table audit_log (
  audit_id   bigint generated always as identity primary key,
  at         timestamptz not null,
  tenant_id  text not null,
  actor      text not null,
  request_id text not null,
  action     text not null,
  target     text not null,
  fields     text[] not null,
  before     text[] not null,
  after      text[] not null,
  check (cardinality(fields) = cardinality(before) and cardinality(fields) = cardinality(after))
);
create index audit_log_of_tenant on audit_log (tenant_id, audit_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only ever appended to';
end $$;
create trigger audit_log_is_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_is_not_truncated before truncate on audit_log
  for each statement execute function refuse_change();
