-- Row-level security, the second line behind each query's own condition on the tenant. A transaction sets headgate.tenant to
-- the tenant that it works for, or to '*' for work of the service itself. Without the setting it sees no row of a tenant.
-- The owner of the schema is not bound, so that migrations see all rows.
create function guard_tenant(guarded regclass, tenant_column text) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', guarded);
  execute format(
    'create policy of_tenant on %s using (%I = current_setting(''headgate.tenant'', true)'
    || ' or current_setting(''headgate.tenant'', true) = ''*'')', guarded, tenant_column);
end $$;

-- A table that comes later calls guard_tenant itself; SchemaTest finds one that does not.
do $$
declare
  guarded regclass;
begin
  for guarded in
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant' and not a.attisdropped
    where c.relnamespace = 'scheduler'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  loop
    perform guard_tenant(guarded, 'tenant');
  end loop;
end $$;

-- Rows without a column for the tenant belong to that of their job.
create function guard_rows_of_jobs(guarded regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', guarded);
  execute format(
    'create policy of_tenant on %s using (current_setting(''headgate.tenant'', true) = ''*'''
    || ' or exists (select from job where job.id = job_id))', guarded);
end $$;
select guard_rows_of_jobs('job_spec');
select guard_rows_of_jobs('attempt_worker');
select guard_rows_of_jobs('hold_worker');

alter table submission_request enable row level security;
create policy of_tenant on submission_request using (
  current_setting('headgate.tenant', true) = '*'
  or starts_with(subject, 'tenants/' || current_setting('headgate.tenant', true) || '/'));

-- The jobs that a transaction may see, for lists by label: under row-level security PostgreSQL does not use the index over
-- labels, because its operator is not proven to tell nothing of the rows that it drops. The view's own condition binds it.
create view visible_job as select * from job
where tenant = current_setting('headgate.tenant', true) or current_setting('headgate.tenant', true) = '*';
