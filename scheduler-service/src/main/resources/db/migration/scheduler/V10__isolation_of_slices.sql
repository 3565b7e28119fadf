-- What separates each slice from its neighbours on the device, as it was when the slice was chosen; one entry for each.
-- Rows of before have none.
alter table attempt_worker add column device_isolations text[] not null default '{}';
alter table hold_worker add column device_isolations text[] not null default '{}';
