-- The use that a worker makes of its slices, as its agent measures it. Absent: not measured.
alter table attempt_worker add column busy_ms bigint;      -- GPU time in which they computed, at most measured_ms
alter table attempt_worker add column measured_ms bigint;  -- GPU time over which that was measured

-- Preemptions and moves by the job that they made room for. They are few among all events.
create index event_by_causer on event (tenant, by_job, version desc) where by_job <> '';
