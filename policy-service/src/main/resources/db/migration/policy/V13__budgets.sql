-- What the jobs of a policy, of a department's members or of a tenant may use in a period.
create table budgets (
  tenant_id     text not null references tenants,
  -- Both null: of the tenant.
  department_id text,
  policy_id     text,
  -- Either this or the cost.
  gpu_hours     numeric(18, 6) check (gpu_hours > 0),
  cost          numeric(18, 6) check (cost > 0),
  currency      text,
  per           text not null check (per in ('DAY', 'WEEK', 'MONTH', 'YEAR')),
  -- Percentage.
  warn_at       int not null check (warn_at between 1 and 100),
  when_spent    text not null check (when_spent in ('WARN', 'YIELD', 'WAIT', 'STOP')),
  unique nulls not distinct (tenant_id, department_id, policy_id),
  foreign key (tenant_id, department_id) references departments on delete cascade,
  foreign key (tenant_id, policy_id) references policies on delete cascade,
  check (num_nonnulls(department_id, policy_id) <= 1),
  check (num_nonnulls(gpu_hours, cost) = 1),
  check ((cost is null) = (currency is null))
);
select guard_tenant('budgets', 'tenant_id');
