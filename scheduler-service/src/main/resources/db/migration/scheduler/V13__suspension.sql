-- Jobs that are kept in their node's main memory when they are preempted.
alter table job add column suspend_ms bigint;  -- for how long at most; absent: it is stopped instead
drop index job_alive;
create index job_alive on job (id) where state in ('WAITING', 'ASSIGNED', 'RUNNING', 'STOPPING', 'SUSPENDED');
