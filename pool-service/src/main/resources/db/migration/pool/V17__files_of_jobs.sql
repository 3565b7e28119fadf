-- Which files of the machine its jobs see, as the node reports it. An empty view: not known.
alter table nodes add column files_view text not null default '';
alter table nodes add column files_own_users boolean not null default false;
alter table nodes add column files_hidden text[] not null default '{}';
alter table nodes add column files_shared text[] not null default '{}';
