-- The trace of a job is made of the phases of its life. An event says which phases end with it, in the transaction that
-- decides the end, so no phase is lost or told twice, whoever leads.
alter table event add column phases text[] not null default '{}';  -- as Phase writes them
alter table event add column written_at timestamptz;               -- absent: before this version
alter table event alter column written_at set default clock_timestamp();
create index event_by_phases on event (version) where phases <> '{}';

-- How far the spans of events have been written. The row comes with the first writer; before it nothing is written.
create table trace_cursor (
  only_row boolean primary key default true check (only_row),
  version  bigint  not null            -- of the last event whose spans the receiver has
);

-- Reasons that lanes have waited for lately, and jobs with reasons of their own. A job's wait is cut into periods when it
-- ends. A changed reason of a lane writes one row, however many jobs wait there.
create table wait_history (
  tenant  text   not null,
  subject text   not null,             -- lane/... or job/ID, as WaitBook names them
  reasons text[] not null,             -- in the order of time, as WaitHistory writes them
  primary key (tenant, subject)
);
select guard_tenant('wait_history', 'tenant');
