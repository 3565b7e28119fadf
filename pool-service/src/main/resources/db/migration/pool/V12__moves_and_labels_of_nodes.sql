-- A node stays in the pool that an admin moved it to, until it joins with a token of another pool.
alter table nodes
  add column joined_pool_id text,
  -- "key=value", by key.
  add column labels         text[] not null default '{}';

update nodes set joined_pool_id = pool_id;
alter table nodes alter column joined_pool_id set not null;
