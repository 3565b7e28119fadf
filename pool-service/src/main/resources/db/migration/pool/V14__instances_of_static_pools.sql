-- The most that a machine of a static pool has. Null gpus: the pool does not say. 0 in the other numbers: it bounds nothing.
alter table pools
  add column instance_gpus             int check (instance_gpus >= 0),
  add column instance_gpu_model        text,
  add column instance_gpu_memory_bytes bigint check (instance_gpu_memory_bytes >= 0),
  add column instance_cpu_millis       bigint check (instance_cpu_millis >= 0),
  add column instance_memory_bytes     bigint check (instance_memory_bytes >= 0),
  add check (num_nulls(instance_gpus, instance_gpu_memory_bytes, instance_cpu_millis, instance_memory_bytes) in (0, 4)),
  add check (instance_gpu_model is null or instance_gpus is not null);
