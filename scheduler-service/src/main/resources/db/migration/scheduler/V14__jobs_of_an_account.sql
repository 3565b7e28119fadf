-- A list for a member asks whether it has jobs of policies that are not its groups'.
create index job_count_by_user on job_count (tenant, user_id) where not forgotten;
