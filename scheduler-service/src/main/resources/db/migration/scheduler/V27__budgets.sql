-- The budgets that have warned or are spent, so that a new leader restricts the same policies as the one before. It is
-- written in the transaction of the change. No row: there was no such change, or it was undone.
create table budget_state (
  tenant       text not null,
  level        text not null check (level in ('TENANT', 'DEPARTMENT', 'POLICY')),
  name         text not null,             -- of the department or policy; of a tenant its id
  currency     text not null,             -- of the counted money; empty: GPU-hours
  period_start timestamptz not null,
  period_end   timestamptz not null,
  used         numeric not null,          -- when the state began, in GPU-hours or money
  state        text not null check (state in ('OK', 'WARNED', 'SPENT')),
  counted_at   timestamptz not null,
  primary key (tenant, level, name)
);
select guard_tenant('budget_state', 'tenant');
