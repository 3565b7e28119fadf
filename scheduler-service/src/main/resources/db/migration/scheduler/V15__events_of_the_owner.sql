-- Weeks of events are tables, and tables belong to the owner of the schema. The scheduler's own role makes and drops them
-- by these functions alone. pg_temp comes last, so that no temporary table takes the place of one of these.
create function add_event_week(monday date) returns void language plpgsql
security definer set search_path = scheduler, pg_temp as $$
declare
  week text := 'event_' || to_char(monday, 'YYYYMMDD');
begin
  if extract(isodow from monday) <> 1 then
    raise exception '% is not a Monday', monday;
  end if;
  execute format('create table %I (like event including all)', week);
  execute format(
    'alter table event attach partition %I for values from (%L) to (%L)',
    week, monday::timestamp at time zone 'UTC', (monday + 7)::timestamp at time zone 'UTC');
end $$;

create function drop_event_week(monday date) returns void language plpgsql
security definer set search_path = scheduler, pg_temp as $$
begin
  execute format('drop table if exists %I', 'event_' || to_char(monday, 'YYYYMMDD'));
end $$;

-- Of those that no week took. Returns how many it deleted.
create function forget_single_events(before timestamptz, at_most int) returns int language plpgsql
security definer set search_path = scheduler, pg_temp as $$
declare
  gone int;
begin
  delete from event_rest where ctid = any (array(
    select ctid from event_rest where time < before limit at_most));
  get diagnostics gone = row_count;
  return gone;
end $$;
