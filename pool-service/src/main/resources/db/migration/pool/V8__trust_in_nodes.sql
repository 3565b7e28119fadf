-- What each node may claim, and what it claims beyond that. Nodes that are known already keep what they have.
alter table nodes
  add column undrained_at            timestamptz,
  add column approved_devices        int not null default 0 check (approved_devices >= 0),
  add column approved_models         text[] not null default '{}',
  add column approved_device_memory  bigint not null default 0 check (approved_device_memory >= 0),
  add column approved_cpu_millis     bigint not null default 0 check (approved_cpu_millis >= 0),
  add column approved_memory_bytes   bigint not null default 0 check (approved_memory_bytes >= 0),
  add column approved_simulated      boolean not null default false,
  -- Null: the node is not in quarantine.
  add column quarantine_reason       text,
  add column claimed_devices         int not null default 0 check (claimed_devices >= 0),
  add column claimed_models          text[] not null default '{}',
  add column claimed_device_memory   bigint not null default 0 check (claimed_device_memory >= 0),
  add column claimed_cpu_millis      bigint not null default 0 check (claimed_cpu_millis >= 0),
  add column claimed_memory_bytes    bigint not null default 0 check (claimed_memory_bytes >= 0),
  add column claimed_simulated       boolean not null default false;

update nodes n
set approved_devices = d.devices,
    approved_models = d.models,
    approved_device_memory = d.memory,
    approved_cpu_millis = n.cpu_millis,
    approved_memory_bytes = n.memory_bytes,
    approved_simulated = n.simulated
from (
  select k.tenant_id, k.node_id, count(v.device_index)::int as devices,
    coalesce(array_agg(distinct v.gpu_model) filter (where v.gpu_model is not null), '{}') as models,
    coalesce(max(v.memory_bytes), 0) as memory
  from nodes k left join devices v on v.tenant_id = k.tenant_id and v.node_id = k.node_id
  group by k.tenant_id, k.node_id
) d
where d.tenant_id = n.tenant_id and d.node_id = n.node_id;
