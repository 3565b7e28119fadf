-- The average past over-reservation use of levels of rights, in pools that count it, and the use since. It is written in the
-- transaction that changes the use, and follows from the row as time passes. No row: there was none.
create table past_use (
  tenant  text not null,
  pool    text not null,             -- a shared one as platform/name
  level   text not null check (level in ('TENANT', 'DEPARTMENT', 'POLICY')),
  name    text not null,             -- of the department or policy; of a tenant empty
  average double precision not null, -- in units of 1/126000 GPU
  present bigint not null,           -- in the same units
  at      timestamptz not null,
  primary key (tenant, pool, level, name)
);
select guard_tenant('past_use', 'tenant');
