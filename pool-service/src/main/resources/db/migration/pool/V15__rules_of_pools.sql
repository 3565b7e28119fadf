-- The options of a pool by which jobs share it. Null: the option is off.
alter table pools
  add column promote_after_ms bigint check (promote_after_ms > 0),
  add column consolidate      boolean not null default false,
  add column half_life_ms     bigint check (half_life_ms > 0);

alter table profiles
  drop constraint profiles_reclaim_check,
  add constraint profiles_reclaim_check check (reclaim in ('RESERVATION', 'STRICT', 'RANK', 'FAIR'));
