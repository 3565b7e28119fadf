-- A hold whose expected start is unknown expires. The pause before the job's next such hold grows with each one that expired.
alter table hold add column until timestamptz;
alter table job
  add column hold_pauses       integer not null default 0,  -- holds that expired in a row
  add column hold_paused_until timestamptz;                 -- absent: none has expired

-- A view has the columns that its table had when the view was made.
create or replace view visible_job as select * from job
where tenant = current_setting('headgate.tenant', true) or current_setting('headgate.tenant', true) = '*';
