-- A profile may name a pool of the tenant `platform`, as platform/NAME. Such a pool is not among the tenant's own.
alter table links
  drop constraint links_tenant_id_content_id_pool_id_fkey,
  add column own_pool_id text
    generated always as (case when pool_id like 'platform/%' then null else pool_id end) stored,
  add foreign key (tenant_id, content_id, own_pool_id) references pools on delete cascade;

-- The names of those pools, which every tenant may know. As a view of the owner of the schema it is not bound by
-- row-level security; it shows nothing but the names.
create view shared_pools as
  select pools.pool_id
  from configurations
  join versions using (tenant_id, version)
  join pools using (tenant_id, content_id)
  where configurations.tenant_id = 'platform';
