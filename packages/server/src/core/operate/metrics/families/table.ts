/** Area of a metric: a row of the dashboard and a section of the documentation. */
export type Area = 'calls' | 'turn' | 'sound' | 'machine' | 'store' | 'cluster'

/** Properties shared by all values of one name. */
export interface Family {
  type: 'counter' | 'gauge' | 'histogram'
  /** One sentence. */
  help: string
  /** Never an account, a number, a call or another unbounded value. */
  labels: readonly string[]
  /** Upper bounds of a histogram's buckets, smallest first. */
  bounds?: readonly number[]
}

const counter = <const L extends string = never>(help: string, ...labels: L[]) => ({ type: 'counter', help, labels }) as const

const gauge = <const L extends string = never>(help: string, ...labels: L[]) => ({ type: 'gauge', help, labels }) as const

const histogram = <const L extends string = never>(help: string, bounds: readonly number[], ...labels: L[]) =>
  ({ type: 'histogram', help, bounds, labels }) as const

/** Upper bounds of histograms, separate from the table: counting code needs these, but not the help texts. */

/** From milliseconds to half a minute. */
export const secondsBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30] as const

export const databaseBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

export const queueBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5] as const

export const collectionBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1] as const

export const jitterBounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2] as const

export const lossBounds = [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5] as const

/** From "not recommended" (2.6) over "some users dissatisfied" (3.6) to "very satisfied" (4.3): ITU-T G.107 annex B. */
export const mosBounds = [1, 2, 2.6, 3.1, 3.6, 4, 4.3, 4.5] as const

/** Calls, phones and carriers. */
const callFamilies = {
  offhook_calls_started_total: counter('Calls that came or were begun.'),
  offhook_calls_answered_total: counter('Calls that somebody took.'),
  offhook_calls_failed_total: counter('Calls that ended by a fault.'),
  offhook_calls_ended_total: counter('Calls that ended, by the reason that customers read, too.', 'reason'),
  offhook_calls_running: gauge('Running calls.'),
  offhook_calls: gauge('Running calls by how far they are.', 'state'),
  offhook_sessions_running: gauge('Assistants at work on a call.'),
  offhook_faxes_running: gauge('Faxes that are being sent.'),
  offhook_call_setup_seconds: histogram('From a call’s arrival until somebody rings or answers.', secondsBounds),
  offhook_registrations: gauge('Registrations of phones that have not expired, of the whole installation.'),
  offhook_trunk_up: gauge('1: calls can go out over the trunk, as this process sees it.', 'trunk', 'name'),
  offhook_trunk_calls: gauge('Running calls over the trunk, in both directions.', 'trunk', 'name'),
  offhook_sip_responses_total: counter('SIP responses, repetitions included: class is 1xx to 6xx.', 'direction', 'class'),
  offhook_sip_bans_total: counter('Sources that were banned because they guessed passwords, scanned or sent garbage.'),
  offhook_sip_dropped_total: counter(
    'SIP messages that got no answer: reason is ban, source (too many of one source), unproven (too many of all unproven sources together), trunk (INVITEs) or scanner.',
    'reason',
  ),
  offhook_trunk_rejected_calls_total: counter(
    'Calls of a trunk that got 503 because there were more than agreed, or too few RTP ports were free.',
    'trunk',
    'name',
  ),
  offhook_http_seconds: histogram('How long requests to the REST interface took.', secondsBounds),
  offhook_http_failures_total: counter('Requests that were answered with a status of 500 or more.'),
} as const

/** Latency from the caller's last sound to the start of the reply. */
const turnFamilies = {
  offhook_turn_seconds: histogram('From a caller’s last sound to the first of the answer.', secondsBounds),
  offhook_endpoint_seconds: histogram('How long endpoints took to answer.', secondsBounds),
  offhook_endpoint_failures_total: counter('Attempts to tell customers’ endpoints something that failed.'),
  offhook_endpoint_attempts_total: counter(
    'Attempts to tell customers’ endpoints something, by what became of them: delivered, failed, superseded, dead.',
    'outcome',
  ),
  offhook_notification_seconds: histogram('How long accounts’ own software took to answer a call notification.', secondsBounds),
  offhook_notification_attempts_total: counter('Call notifications, by what became of them: delivered or failed.', 'outcome'),
  offhook_endpoint_breakers_open: gauge('Endpoints that are not asked for a while, because they failed too often.'),
  offhook_agent_restarts_total: counter('How often what runs the assistants ended by itself and was started again.'),
  offhook_agent_claims_total: counter(
    'Sentences of prompt assistants that claim a deed: covered by a tool, or stopped because none had done it.',
    'outcome',
  ),
  offhook_speech_queue_seconds: histogram(
    'How long speech waited for a thread of ours: part is recogniser or synthesiser.',
    queueBounds,
    'part',
  ),
  offhook_speech_waiting: gauge('What waits for a thread now: part is recogniser or synthesiser.', 'part'),
} as const

/** RTP: each stream is counted when it ends. */
const soundFamilies = {
  offhook_rtp_streams: gauge('Audio streams that are open now.'),
  offhook_rtp_received_packets_total: counter('RTP packets that came, of streams that have ended.'),
  offhook_rtp_lost_packets_total: counter('RTP packets that did not come, of streams that have ended.'),
  offhook_rtp_refused_packets_total: counter(
    'RTP packets that were thrown away, of streams that have ended: another source, another format, wrong key.',
  ),
  offhook_rtp_loss_ratio: histogram('Part of a stream’s packets that did not come, 0 to 1: one value a stream.', lossBounds),
  offhook_rtp_jitter_seconds: histogram('Interarrival jitter (RFC 3550), the mean of a stream: one value a stream.', jitterBounds),
  offhook_rtp_mos: histogram('Estimated listening quality (ITU-T G.107), 1 to 4.5: one value a stream.', mosBounds),
  offhook_sound_missing_total: counter(
    'How often a phone was not heard, or did not hear us: state is nothing, stopped, unknown_source, unknown_format or unheard.',
    'state',
  ),
  offhook_rtp_ports: gauge('RTP ports of the range, counted in pairs.'),
  offhook_rtp_ports_used: gauge('RTP ports that calls, faxes or other programs have.'),
  offhook_rtp_ports_free: gauge('RTP ports that a call can have, counted in pairs.'),
  offhook_rtp_ports_resting: gauge('RTP ports that rest after a call.'),
  offhook_rtp_ports_taken: gauge('RTP ports of calls and faxes.'),
  offhook_rtp_ports_hurried_total: counter('RTP ports that were used again before their rest was over.'),
  offhook_rtp_ports_exhausted_total: counter('How often no RTP port was free for a leg of a call, which is refused then.'),
  offhook_media_late_ticks_total: counter('Turns of a media thread in which packets left ten milliseconds late or more.'),
  offhook_media_ticks_total: counter('All turns of a media thread in which packets left.'),
  offhook_media_threads_died_total: counter('Media threads that ended by themselves, and their calls with them.'),
} as const

/** The process, its threads and its disk. */
const machineFamilies = {
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
  offhook_overloaded: gauge('1: new calls and requests of phones are rejected with 503 as far as the machine cannot carry them.'),
  offhook_load_ratio: gauge(
    'What is measured, divided by its limit: more than 1 for half a second is overload. reason is loop (main thread), media (packets that leave late), recogniser or database.',
    'reason',
  ),
  offhook_shed_total: counter(
    'Newcomers that got 503 because of overload: kind is call or request (registrations, subscriptions, text messages), reason the measure above its limit.',
    'kind',
    'reason',
  ),
  offhook_data_free_bytes: gauge('What is free on the disk of the data folder.'),
  offhook_data_size_bytes: gauge('The size of the disk of the data folder.'),
  offhook_certificate_expiry_timestamp_seconds: gauge('When a certificate ends, in seconds since 1970.', 'name'),
} as const

/** The database and its queues. */
const storeFamilies = {
  offhook_store_up: gauge('1: the database answers. While it does not, what is read from it is left out here.'),
  offhook_store_full: gauge('1: the disk of the database is full.'),
  offhook_db_pool_size: gauge('Open connections to PostgreSQL.'),
  offhook_db_pool_idle: gauge('Those of them that nobody uses.'),
  offhook_db_pool_waiting: gauge('Who waits for a connection to PostgreSQL.'),
  offhook_db_query_seconds: histogram('How long PostgreSQL took for a statement.', databaseBounds),
  offhook_db_write_seconds: histogram('How long a transaction that writes took, until it was safe on the disk.', databaseBounds),
  offhook_outbox_pending: gauge('Messages that were not delivered yet, of the whole installation.', 'kind'),
  offhook_outbox_oldest_seconds: gauge('How long the oldest of them has waited.', 'kind'),
  offhook_outbox_overdue_seconds: gauge('For how long the one that is most late should have been tried: nobody takes it.', 'kind'),
  offhook_outbox_dead: gauge('Messages that were given up and are still kept, of the whole installation.', 'kind'),
  offhook_dead_letters_total: counter('Messages and jobs that this process gave up.', 'kind'),
  offhook_jobs_pending: gauge('Jobs, also those whose time has not come, of the whole installation.', 'kind'),
  offhook_jobs_parked: gauge(
    'Jobs that nobody takes up again, because the process died in the middle of them, of the whole installation.',
    'kind',
  ),
  offhook_jobs_overdue_seconds: gauge('For how long the job that is most late has been due, of the whole installation.'),
  offhook_journal_entries: gauge('What waits on the disk of this process until the database is back.'),
} as const

/** This process within the cluster. */
const clusterFamilies = {
  offhook_ready: gauge('1: new calls are welcome. 0: it is draining, or has not started.'),
  offhook_bus_up: gauge('1: the other processes can be heard. A process on its own has no bus and does not show this.'),
  offhook_bus_ignored_total: counter('Messages on the bus that no process of this installation said just now.'),
  offhook_neighbours: gauge('Other processes that were heard a moment ago.'),
  offhook_leases_held: gauge('Calls and sessions that belong to this process.'),
  offhook_lease_age_seconds: gauge(
    'How long ago the lease of this process was renewed; 15 seconds are too long. Left out while it needs none.',
  ),
  offhook_calls_lost_total: counter('Calls that another process took, because this one stood still or was cut off.'),
  offhook_calls_resumed_total: counter('Calls that this process went on with after another one was gone.'),
  offhook_trace_spans_sent_total: counter('Spans of traces that the collector took. Left out where there are no traces.'),
  offhook_trace_spans_dropped_total: counter('Spans of traces that no collector took.'),
} as const

/** All metrics by area. The /metrics page, the documentation, the dashboard and the checks of alert rules are derived from this table. */
export const familiesOf = {
  calls: callFamilies,
  turn: turnFamilies,
  sound: soundFamilies,
  machine: machineFamilies,
  store: storeFamilies,
  cluster: clusterFamilies,
} as const satisfies Record<Area, Record<string, Family>>

export const families = {
  ...callFamilies,
  ...turnFamilies,
  ...soundFamilies,
  ...machineFamilies,
  ...storeFamilies,
  ...clusterFamilies,
} as const satisfies Record<string, Family>

export type MetricName = keyof typeof families
