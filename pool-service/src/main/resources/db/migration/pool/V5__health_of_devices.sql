-- How each device is, as its agent says; null: the agent does not say.
alter table devices
  add column health text check (health in ('HEALTHY', 'DEGRADED', 'UNHEALTHY')),
  add column health_cause text not null default '',
  add column remedy text not null default 'NONE'
    check (remedy in ('NONE', 'INSPECT', 'RESET', 'RESTART_MACHINE', 'REPLACE'));
