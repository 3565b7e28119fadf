-- Where slices lie on devices that have places (MIG, AMD): one entry for each slice, "start size units profile", empty for
-- a slice of another device. Rows of before have none.
alter table attempt_worker add column device_places text[] not null default '{}';
alter table hold_worker add column device_places text[] not null default '{}';
