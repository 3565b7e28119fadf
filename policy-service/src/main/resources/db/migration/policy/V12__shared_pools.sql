-- The tenant `platform` owns the pools that several tenants share. It has no accounts and no rights.
do $$
begin
  if exists (select from tenants where tenant_id = 'platform')
     or exists (select from retired_tenants where tenant_id = 'platform') then
    raise exception 'there is or was a tenant named platform, and that name is reserved now';
  end if;
end $$;
insert into tenants (tenant_id, display_name, created_at) values ('platform', 'shared pools', now());

-- The part that a tenant has of shared pools.
create table tenant_parts (
  -- The owner of the pools.
  tenant_id         text not null references tenants check (tenant_id = 'platform'),
  member_id         text not null references tenants (tenant_id) check (member_id <> 'platform'),
  -- The values count for each of them. Two parts of one tenant have no pool in common.
  pool_ids          text[] not null check (cardinality(pool_ids) > 0),
  reservation_units bigint not null check (reservation_units >= 0),
  -- Null: none.
  limit_units       bigint check (limit_units >= reservation_units),
  weight            int not null check (weight >= 1),
  primary key (tenant_id, member_id, pool_ids)
);
select guard_tenant('tenant_parts', 'tenant_id');
