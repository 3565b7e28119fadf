-- What a waiting job waits for before it takes its place in its queue. Absent: nothing.
alter table job
  add column not_before timestamptz,  -- earliest start
  add column after_jobs text;         -- jobs that must end first, as in GateRow

-- A view has the columns that its table had when the view was made.
create or replace view visible_job as select * from job
where tenant = current_setting('headgate.tenant', true) or current_setting('headgate.tenant', true) = '*';
