alter table profiles
  -- Models of which its devices may be, by name. Empty: any that its pools have.
  add column gpu_models text[] not null default '{}',
  -- An entitled job waits so long for an elastic pool before it preempts (DESIGN P6).
  add column preemption_delay_ms bigint not null default 300000 check (preemption_delay_ms >= 0);
