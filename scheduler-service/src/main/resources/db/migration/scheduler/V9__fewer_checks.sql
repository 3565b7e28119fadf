-- One writer at a time writes all of a job in one transaction, and what forgets jobs deletes all of a job in one
-- statement. To have each row of the most frequent tables looked up and locked in its parent, too, costs more than it
-- could ever find.
alter table job_spec drop constraint job_spec_job_id_fkey;
alter table attempt drop constraint attempt_job_id_fkey;
alter table attempt_worker drop constraint attempt_worker_job_id_attempt_fkey;

-- Versions come from the row of leadership, which no two transactions move to the same; events are read by tenant.
alter table event drop constraint event_pkey;
