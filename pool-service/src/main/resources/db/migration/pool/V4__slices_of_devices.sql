-- The slices that a MIG or AMD device offers, as its driver tells: "memory compute", then "memory compute starts name" for
-- each size. Empty: the usual ones of its geometry.
alter table devices add column slices text[] not null default '{}';
