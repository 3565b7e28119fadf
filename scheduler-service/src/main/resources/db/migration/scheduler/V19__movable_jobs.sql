-- Jobs that may be moved to make room, and since when a job waits: a preemption, a requeue or a lost node begins the wait
-- anew. Null: since it was submitted.
alter table job
  add column movable       boolean not null default false,
  add column waiting_since timestamptz;

-- A view has the columns that its table had when the view was made.
create or replace view visible_job as select * from job
where tenant = current_setting('headgate.tenant', true) or current_setting('headgate.tenant', true) = '*';
