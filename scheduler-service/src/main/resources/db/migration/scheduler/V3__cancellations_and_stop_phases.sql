-- By whom a job was cancelled last, and why, in their words.
alter table job add column cancelled_by text;
alter table job add column cancel_reason text;

-- Phases of its stop of which the agent told the end, so that each becomes one event.
alter table attempt_worker add column stop_phases text[] not null default '{}';
