-- Levels between the tenant and its policies.
create table departments (
  tenant_id         text not null references tenants,
  department_id     text not null,
  -- The department above it. Null: the tenant is above it.
  parent_id         text,
  -- Null: the sum of what its members reserve.
  reservation_units bigint check (reservation_units >= 0),
  -- Null: none.
  limit_units       bigint check (limit_units >= 0),
  weight            int not null check (weight >= 1),
  primary key (tenant_id, department_id),
  -- Deferred, so that one transaction writes a whole tree in any order.
  constraint departments_parent foreign key (tenant_id, parent_id) references departments deferrable initially deferred,
  check (reservation_units <= limit_units)
);
select guard_tenant('departments', 'tenant_id');

alter table policies
  add column department_id    text,
  -- How long its jobs wait before they preempt.
  add column preempt_after_ms bigint not null default 0 check (preempt_after_ms >= 0),
  -- Defaults of its jobs for their stop. Null: those of all jobs.
  add column callback_ms      bigint check (callback_ms > 0),
  add column terminate_ms     bigint check (terminate_ms >= 0),
  add constraint policies_department foreign key (tenant_id, department_id) references departments;

-- For departments that are removed.
create index departments_by_parent on departments (tenant_id, parent_id);
create index policies_by_department on policies (tenant_id, department_id);
