-- Headroom that a job holds in the limits that block it. Absent: it holds none.
alter table job
  add column headroom       text,         -- the limits, as in HeadroomRow
  add column headroom_start timestamptz,  -- expected start; absent: unknown
  add column headroom_until timestamptz;  -- end of a hold whose expected start is unknown

-- A view has the columns that its table had when the view was made.
create or replace view visible_job as select * from job
where tenant = current_setting('headgate.tenant', true) or current_setting('headgate.tenant', true) = '*';
