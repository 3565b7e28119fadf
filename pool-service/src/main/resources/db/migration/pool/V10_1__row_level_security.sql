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

select guard_tenant('catalog_changes', 'tenant_id');
select guard_tenant('configurations', 'tenant_id');
select guard_tenant('contents', 'tenant_id');
select guard_tenant('versions', 'tenant_id');
select guard_tenant('drafts', 'tenant_id');
select guard_tenant('pools', 'tenant_id');
select guard_tenant('elasticities', 'tenant_id');
select guard_tenant('provider_settings', 'tenant_id');
select guard_tenant('profiles', 'tenant_id');
select guard_tenant('links', 'tenant_id');
select guard_tenant('nodes', 'tenant_id');
select guard_tenant('devices', 'tenant_id');
select guard_tenant('audit_log', 'tenant_id');
select guard_tenant('audit_chain', 'chain');
