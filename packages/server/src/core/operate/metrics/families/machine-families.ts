import { collectionBounds } from './bounds.ts'
import { counter, gauge, histogram } from './family.ts'

/** The process, its threads and its disk. */
export const machineFamilies = {
  offhook_build_info: gauge('Always 1; the labels say what runs.', 'version', 'node'),
  process_start_time_seconds: gauge('When the process began, in seconds since 1970.'),
  process_cpu_seconds_total: counter('Time of processors that the process has used, all threads together.'),
  process_resident_memory_bytes: gauge('Memory of the whole process.'),
  process_open_fds: gauge('Files and sockets that the process has open, where the system tells.'),
  process_max_fds: gauge('How many of them it may have.'),
  nodejs_eventloop_lag_p99_seconds: gauge('How late the main thread was at one of a hundred moments, since the last look.'),
  nodejs_eventloop_busy_seconds_total: counter('How long the main thread had something to do.'),
  nodejs_gc_duration_seconds: histogram(
    'Collections of garbage on the main thread: kind is minor, major, incremental or weak.',
    collectionBounds,
    'kind',
  ),
  offhook_thread_cpu_seconds_total: counter('Time of processors that a thread has used.', 'thread', 'id'),
  offhook_resident_bytes: gauge('Memory of the whole process.'),
  offhook_heap_used_bytes: gauge('What a thread’s heap holds.', 'thread', 'id'),
  offhook_heap_total_bytes: gauge('What a thread’s heap takes.', 'thread', 'id'),
  offhook_heap_limit_bytes: gauge('What a thread’s heap may take.', 'thread', 'id'),
  offhook_external_bytes: gauge('What a thread’s objects hold outside of its heap.', 'thread', 'id'),
  offhook_array_buffer_bytes: gauge('What a thread holds of that as buffers, shared ones included.', 'thread', 'id'),
  offhook_heap_near_limit: gauge('1: four fifths of the heap are needed for good.', 'thread', 'id'),
  offhook_data_free_bytes: gauge('What is free on the disk of the data folder.'),
  offhook_data_size_bytes: gauge('The size of the disk of the data folder.'),
  offhook_certificate_expiry_timestamp_seconds: gauge('When a certificate ends, in seconds since 1970.', 'name'),
} as const
