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
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'pool'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  loop
    perform guard_tenant(guarded, 'tenant_id');
  end loop;
end $$;
select guard_tenant('audit_chain', 'chain');
