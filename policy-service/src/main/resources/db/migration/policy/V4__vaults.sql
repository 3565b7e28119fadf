-- What admins lay down for the jobs of groups. A vault holds no secrets: its environment is readable here.
create table vaults (
  tenant_id       text not null references tenants,
  vault_id        text not null,
  -- Patterns; none: all.
  images          text[] not null,
  image_required  boolean not null,
  digest_required boolean not null,
  -- Patterns; none: all.
  commands        text[] not null,
  description     text not null,
  primary key (tenant_id, vault_id)
);

-- Groups for which a vault holds. One that has none here holds for all, so a group is not removed while it is here.
create table vault_groups (
  tenant_id text not null,
  vault_id  text not null,
  group_id  text not null,
  primary key (tenant_id, vault_id, group_id),
  foreign key (tenant_id, vault_id) references vaults on delete cascade,
  foreign key (tenant_id, group_id) references groups
);

-- For groups that are removed.
create index vault_groups_group on vault_groups (tenant_id, group_id);

create table vault_environment (
  tenant_id text not null,
  vault_id  text not null,
  name      text not null,
  value     text not null,
  primary key (tenant_id, vault_id, name),
  foreign key (tenant_id, vault_id) references vaults on delete cascade
);
