-- Where the checkpoints of a pool's jobs are: the name of a storage, whose path each node's own settings say. Null: each node's
-- own directory.
alter table pools add column storage text;
-- The names of the storages that a node reports.
alter table nodes add column storages text[] not null default '{}';
