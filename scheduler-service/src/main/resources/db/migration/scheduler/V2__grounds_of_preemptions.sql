-- On what grounds a job was preempted, as GroundsRow writes it.
alter table job add column preempted_grounds text;
alter table attempt add column stop_grounds text;
