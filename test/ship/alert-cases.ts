/** Values of one series, one per minute, in promtool notation: `5x60` is sixty times 5, `0+3x60` counts by 3. */
type Series = Record<string, string>

/** Input that must fire an alert, and similar input that must not. */
export interface AlertCase {
  fires: Series
  quiet: Series
  /** Minute of the check; default 60. */
  at?: number
}

const on = 'instance="a:8080"'
const job = `job="offhook",${on}`

/** Histogram in which `share` (0 to 1) of the values are above `bound`, one hundred values a minute. */
const above = (name: string, bound: number, share: number, labels = ''): Series => ({
  [`${name}_bucket{${on},${labels}le="${bound}"}`]: `0+${100 * (1 - share)}x200`,
  [`${name}_bucket{${on},${labels}le="${bound * 2}"}`]: '0+100x200',
  [`${name}_bucket{${on},${labels}le="+Inf"}`]: '0+100x200',
})

const counts = (name: string, perMinute: number, labels = ''): Series => ({ [`${name}{${labels}${on}}`]: `0+${perMinute}x200` })

const is = (name: string, value: number | string, labels = ''): Series => ({
  [`${name}{${labels}${on}}`]: typeof value === 'number' ? `${value}x200` : value,
})

const calls: Record<string, AlertCase> = {
  OffhookCallsFail: {
    fires: { ...counts('offhook_calls_failed_total', 3), ...counts('offhook_calls_started_total', 60) },
    quiet: { ...counts('offhook_calls_failed_total', 1), ...counts('offhook_calls_started_total', 60) },
  },
  OffhookTrunkDown: {
    fires: is('offhook_trunk_up', 0, 'trunk="1",name="carrier",'),
    // Another process can still use it.
    quiet: {
      ...is('offhook_trunk_up', 0, 'trunk="1",name="carrier",'),
      'offhook_trunk_up{trunk="1",name="carrier",instance="b:8080"}': '1x200',
    },
  },
  OffhookRegistrationsLost: {
    fires: is('offhook_registrations', '100x40 40x100'),
    quiet: is('offhook_registrations', '100x40 60x100'),
  },
  OffhookSipErrors: {
    fires: {
      ...counts('offhook_sip_responses_total', 20, 'direction="sent",class="5xx",'),
      ...counts('offhook_sip_responses_total', 60, 'direction="sent",class="2xx",'),
      ...counts('offhook_sip_responses_total', 600, 'direction="sent",class="1xx",'),
    },
    quiet: {
      ...counts('offhook_sip_responses_total', 600, 'direction="received",class="5xx",'),
      ...counts('offhook_sip_responses_total', 60, 'direction="sent",class="4xx",'),
      ...counts('offhook_sip_responses_total', 60, 'direction="sent",class="2xx",'),
    },
  },
  OffhookSipFlood: {
    fires: counts('offhook_sip_dropped_total', 6_000, 'reason="unproven",'),
    quiet: {
      ...counts('offhook_sip_dropped_total', 600, 'reason="unproven",'),
      ...counts('offhook_sip_dropped_total', 60_000, 'reason="source",'),
    },
  },
  OffhookSipAttack: { fires: counts('offhook_sip_bans_total', 5), quiet: counts('offhook_sip_bans_total', 1) },
  OffhookHttpFails: {
    fires: { ...counts('offhook_http_failures_total', 6), ...counts('offhook_http_seconds_count', 100) },
    quiet: { ...counts('offhook_http_failures_total', 1), ...counts('offhook_http_seconds_count', 100) },
  },
}

const turn: Record<string, AlertCase> = {
  OffhookTurnsSlow: { fires: above('offhook_turn_seconds', 2.5, 0.1), quiet: above('offhook_turn_seconds', 2.5, 0.04) },
  OffhookEndpointsFail: {
    fires: { ...counts('offhook_endpoint_failures_total', 12), ...counts('offhook_endpoint_seconds_count', 60) },
    quiet: { ...counts('offhook_endpoint_failures_total', 3), ...counts('offhook_endpoint_seconds_count', 60) },
  },
  OffhookEndpointsSpared: {
    fires: is('offhook_endpoint_breakers_open', 1),
    quiet: is('offhook_endpoint_breakers_open', '0x40 1x10 0x100'),
    at: 55,
  },
  OffhookNotificationsFail: {
    fires: {
      ...counts('offhook_notification_attempts_total', 5, 'outcome="failed",'),
      ...counts('offhook_notification_attempts_total', 5, 'outcome="delivered",'),
    },
    quiet: {
      ...counts('offhook_notification_attempts_total', 1, 'outcome="failed",'),
      ...counts('offhook_notification_attempts_total', 50, 'outcome="delivered",'),
    },
  },
  OffhookSpeechLate: {
    fires: above('offhook_speech_queue_seconds', 1, 0.1, 'part="recogniser",'),
    quiet: above('offhook_speech_queue_seconds', 1, 0.01, 'part="recogniser",'),
  },
  OffhookSpeechStuck: {
    fires: is('offhook_speech_waiting', 30, 'part="recogniser",'),
    quiet: is('offhook_speech_waiting', 5, 'part="recogniser",'),
  },
}

/** `poor` of a hundred streams per minute have a MOS of at most 2.6. */
const opinions = (poor: number): Series => ({
  [`offhook_rtp_mos_bucket{${on},le="2.6"}`]: `0+${poor}x200`,
  [`offhook_rtp_mos_bucket{${on},le="4.3"}`]: `0+${poor}x200`,
  [`offhook_rtp_mos_bucket{${on},le="4.5"}`]: '0+100x200',
  [`offhook_rtp_mos_bucket{${on},le="+Inf"}`]: '0+100x200',
  [`offhook_rtp_mos_count{${on}}`]: '0+100x200',
})

const sound: Record<string, AlertCase> = {
  OffhookSoundPoor: { fires: opinions(20), quiet: opinions(5) },
  OffhookSoundMissing: {
    fires: { ...counts('offhook_sound_missing_total', 1, 'state="nothing",'), ...counts('offhook_calls_answered_total', 10) },
    quiet: { ...counts('offhook_sound_missing_total', 1, 'state="nothing",'), ...counts('offhook_calls_answered_total', 100) },
  },
  OffhookMediaLate: { fires: counts('offhook_media_late_ticks_total', 600), quiet: counts('offhook_media_late_ticks_total', 60) },
  OffhookMediaThreadDied: {
    fires: is('offhook_media_threads_died_total', '0x50 1x100'),
    quiet: is('offhook_media_threads_died_total', '0x10 1x100'),
  },
  OffhookPortsScarce: {
    fires: { ...is('offhook_rtp_ports_used', 900), ...is('offhook_rtp_ports', 1000) },
    quiet: { ...is('offhook_rtp_ports_used', 700), ...is('offhook_rtp_ports', 1000) },
  },
  OffhookPortsExhausted: {
    fires: counts('offhook_rtp_ports_exhausted_total', 1),
    quiet: is('offhook_rtp_ports_exhausted_total', '0x10 7x100'),
  },
}

const day = 86_400

const machine: Record<string, AlertCase> = {
  OffhookDown: { fires: { [`up{${job}}`]: '0x200' }, quiet: { [`up{${job}}`]: '1x200', 'up{job="other"}': '0x200' } },
  OffhookRestarts: {
    fires: { [`process_start_time_seconds{${job}}`]: '1x40 2x3 3x3 4x3 5x100' },
    quiet: { [`process_start_time_seconds{${job}}`]: '1x40 2x3 3x100' },
  },
  OffhookNotReady: {
    fires: { ...is('offhook_ready', 0), ...is('offhook_store_up', 1) },
    quiet: { ...is('offhook_ready', '1x50 0x10'), ...is('offhook_store_up', 1) },
  },
  OffhookEventLoopBlocked: {
    fires: { [`nodejs_eventloop_lag_p99_seconds{${job}}`]: '0.3x200' },
    quiet: { [`nodejs_eventloop_lag_p99_seconds{${job}}`]: '0.02x57 0.5 0.02x100' },
  },
  OffhookShedsLoad: {
    fires: counts('offhook_shed_total', 60, 'kind="call",reason="loop",'),
    quiet: {
      ...counts('offhook_shed_total', 1, 'kind="call",reason="loop",'),
      ...counts('offhook_shed_total', 600, 'kind="request",reason="loop",'),
    },
  },
  OffhookMemoryNearLimit: {
    fires: is('offhook_heap_near_limit', 1, 'thread="main",id="0",'),
    quiet: is('offhook_heap_near_limit', 0, 'thread="main",id="0",'),
  },
  OffhookFilesScarce: {
    fires: { [`process_open_fds{${job}}`]: '900x200', [`process_max_fds{${job}}`]: '1024x200' },
    quiet: { [`process_open_fds{${job}}`]: '900x200', [`process_max_fds{${job}}`]: '65536x200' },
  },
  OffhookDiskFull: {
    fires: { ...is('offhook_data_free_bytes', 5e9), ...is('offhook_data_size_bytes', 100e9) },
    quiet: { ...is('offhook_data_free_bytes', 20e9), ...is('offhook_data_size_bytes', 100e9) },
  },
  OffhookDiskFills: {
    fires: { ...is('offhook_data_free_bytes', '35000-20x600'), ...is('offhook_data_size_bytes', '100000x600') },
    quiet: { ...is('offhook_data_free_bytes', '35000-1x600'), ...is('offhook_data_size_bytes', '100000x600') },
    at: 500,
  },
  OffhookTracesDropped: {
    fires: counts('offhook_trace_spans_dropped_total', 10),
    quiet: is('offhook_trace_spans_dropped_total', '0x10 500x100'),
  },
  OffhookCertificateEnds: {
    fires: is('offhook_certificate_expiry_timestamp_seconds', 7 * day, 'name="tls",'),
    quiet: is('offhook_certificate_expiry_timestamp_seconds', 30 * day, 'name="tls",'),
    at: 120,
  },
  OffhookCertificateEnded: {
    fires: is('offhook_certificate_expiry_timestamp_seconds', 3000, 'name="tls",'),
    quiet: is('offhook_certificate_expiry_timestamp_seconds', 20 * day, 'name="tls",'),
  },
}

const store: Record<string, AlertCase> = {
  OffhookDatabaseAway: { fires: is('offhook_store_up', 0), quiet: is('offhook_store_up', '1x59 0 1x100') },
  OffhookDatabaseFull: { fires: is('offhook_store_full', 1), quiet: is('offhook_store_full', 0) },
  OffhookDatabasePoolFull: { fires: is('offhook_db_pool_waiting', 3), quiet: is('offhook_db_pool_waiting', '0x59 3 0x100') },
  OffhookDatabaseSlow: { fires: above('offhook_db_write_seconds', 0.25, 0.1), quiet: above('offhook_db_write_seconds', 0.25, 0.01) },
  OffhookOutboxStuck: {
    fires: is('offhook_outbox_overdue_seconds', '0+60x200', 'kind="mail",'),
    quiet: is('offhook_outbox_overdue_seconds', 20, 'kind="mail",'),
  },
  OffhookOutboxOld: {
    fires: is('offhook_outbox_oldest_seconds', 2000, 'kind="mail",'),
    // A customer's endpoint may be unavailable for hours.
    quiet: is('offhook_outbox_oldest_seconds', 20_000, 'kind="session_end",'),
  },
  OffhookDeadLetters: {
    fires: is('offhook_dead_letters_total', '0x30 2x100', 'kind="mail",'),
    quiet: is('offhook_dead_letters_total', '2x200', 'kind="mail",'),
  },
  OffhookJobsLate: { fires: is('offhook_jobs_overdue_seconds', '0+60x200'), quiet: is('offhook_jobs_overdue_seconds', 30) },
  OffhookJournalWaits: {
    fires: { ...is('offhook_journal_entries', 5), ...is('offhook_store_up', 1) },
    quiet: { ...is('offhook_journal_entries', '0x40 900x5 0x100'), ...is('offhook_store_up', 1) },
  },
}

const cluster: Record<string, AlertCase> = {
  OffhookBusAway: { fires: is('offhook_bus_up', 0), quiet: is('offhook_bus_up', 1) },
  OffhookLeaseLate: { fires: is('offhook_lease_age_seconds', 13), quiet: is('offhook_lease_age_seconds', 5) },
  OffhookCallsTaken: { fires: is('offhook_calls_lost_total', '0x55 4x100'), quiet: is('offhook_calls_lost_total', '0x10 4x100') },
  OffhookNeighbourGone: { fires: is('offhook_neighbours', '2x30 1x100'), quiet: is('offhook_neighbours', '1x30 2x100') },
  OffhookVersionsDiffer: {
    fires: { 'offhook_build_info{version="1",instance="a"}': '1x300', 'offhook_build_info{version="2",instance="b"}': '1x300' },
    quiet: { 'offhook_build_info{version="1",instance="a"}': '1x300', 'offhook_build_info{version="1",instance="b"}': '1x300' },
    at: 180,
  },
}

export const alertCases: Record<string, AlertCase> = { ...calls, ...turn, ...sound, ...machine, ...store, ...cluster }
