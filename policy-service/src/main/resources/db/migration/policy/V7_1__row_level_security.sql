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

select guard_tenant('tenants', 'tenant_id');
select guard_tenant('deleted_tenants', 'tenant_id');
select guard_tenant('retired_tenants', 'tenant_id');
select guard_tenant('users', 'tenant_id');
select guard_tenant('service_accounts', 'tenant_id');
select guard_tenant('groups', 'tenant_id');
select guard_tenant('group_users', 'tenant_id');
select guard_tenant('group_service_accounts', 'tenant_id');
select guard_tenant('policies', 'tenant_id');
select guard_tenant('policy_exceed_limit', 'tenant_id');
select guard_tenant('queues', 'tenant_id');
select guard_tenant('keys', 'tenant_id');
select guard_tenant('join_tokens', 'tenant_id');
select guard_tenant('vaults', 'tenant_id');
select guard_tenant('vault_groups', 'tenant_id');
select guard_tenant('vault_environment', 'tenant_id');
select guard_tenant('audit_log', 'tenant_id');
select guard_tenant('audit_chain', 'chain');
