-- How long a job may live on after max_runtime_ms: its abort callback and the grace. Of jobs from before, and of those
-- that an earlier version adds, it is not known: they have the longest, 40 minutes, and so pass fewer holds.
alter table job add column stop_time_ms bigint not null default 2400000;

-- A view has the columns that its table had when the view was made.
create or replace view visible_job as select * from job
where tenant = current_setting('headgate.tenant', true) or current_setting('headgate.tenant', true) = '*';
