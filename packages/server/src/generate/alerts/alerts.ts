import type { AlertsByArea, Alerts } from './alert.ts'
import { machineAlerts } from './machine-alerts.ts'

const failed = 'sum by (instance) (rate(offhook_calls_failed_total[5m]))'
const started = 'sum by (instance) (rate(offhook_calls_started_total[5m]))'
const finalResponses = 'sum by (instance) (rate(offhook_sip_responses_total{direction="sent",class!="1xx"}[5m]))'
const faultyResponses = 'sum by (instance) (rate(offhook_sip_responses_total{direction="sent",class=~"5xx|6xx"}[5m]))'
const maxRegistrations = 'max(max_over_time(offhook_registrations[1h]))'

/** Calls, phones and carriers. */
const callAlerts: Alerts = {
  OffhookCallsFail: {
    expr: `${failed} / ${started} > 0.02 and ${started} > 0.05`,
    for: '5m',
    severity: 'page',
    summary: '{{ $value | humanizePercentage }} of the calls of {{ $labels.instance }} end by a fault',
    meaning: 'Calls ended because of us, a carrier or a customer’s endpoint, not because somebody hung up.',
    action:
      'See offhook_calls_ended_total by reason, and the events call_failed, sip_fault and media_leg_failed in the log: endpoint_unavailable is a customer’s endpoint, media_timeout the network, failed mostly a carrier, service_failure this service.',
  },
  OffhookTrunkDown: {
    expr: 'max by (trunk, name) (offhook_trunk_up) == 0',
    for: '2m',
    severity: 'page',
    summary: 'No call can go out over the trunk {{ $labels.name }}',
    meaning: 'The carrier does not answer, or does not let us register. Calls go over other trunks, if there are any.',
    action:
      'Read the event trunk_rejected in the log: it has the carrier’s answer. Check password, address and firewall, then ask the carrier.',
  },
  OffhookRegistrationsLost: {
    expr: `max(offhook_registrations) < 0.5 * ${maxRegistrations} and ${maxRegistrations} >= 10`,
    for: '5m',
    severity: 'page',
    summary: 'Only {{ $value }} phones are registered, less than half of an hour ago',
    meaning: 'Phones that are not registered do not ring. So many at once are seldom switched off: their way to us is broken.',
    action:
      'Look for sip_source_banned (an office behind one address?), at the SIP proxy, the certificate for TLS and the network in between.',
  },
  OffhookSipErrors: {
    expr: `${faultyResponses} / ${finalResponses} > 0.1 and ${faultyResponses} > 0.05`,
    for: '5m',
    severity: 'page',
    summary: '{{ $value | humanizePercentage }} of the SIP answers of {{ $labels.instance }} are errors of ours',
    meaning: 'Phones and carriers are answered with 5xx or 6xx: the process drains, is full, or cannot look anything up.',
    action: 'Is offhook_ready 0, offhook_store_up 0, or offhook_rtp_ports_free 0? If none of these, look for sip_fault in the log.',
  },
  OffhookSipAttack: {
    expr: 'sum by (instance) (increase(offhook_sip_bans_total[10m])) > 20',
    severity: 'ticket',
    summary: '{{ $value | humanize }} sources were banned by {{ $labels.instance }} within ten minutes',
    meaning: 'Somebody tries passwords or scans from many addresses. They are not listened to for a while.',
    action: 'Check that no office of yours is among them (sip_source_banned). Close the SIP port to networks that have no business there.',
  },
  OffhookSipFlood: {
    expr: 'sum by (instance) (rate(offhook_sip_dropped_total{reason="unproven"}[5m])) > 50',
    for: '5m',
    severity: 'ticket',
    summary: '{{ $value | humanize }} SIP messages a second from unproven sources are dropped by {{ $labels.instance }}',
    meaning:
      'A flood from many, probably forged sources. Calls, trunks and phones that logged in are not affected; new phones register when they try again.',
    action: 'Close the SIP port to networks without phones. The event sip_unproven_flood is in the log once a minute while it lasts.',
  },
  OffhookHttpFails: {
    expr: 'sum by (instance) (rate(offhook_http_failures_total[5m])) / sum by (instance) (rate(offhook_http_seconds_count[5m])) > 0.02 and sum by (instance) (rate(offhook_http_failures_total[5m])) > 0.05',
    for: '5m',
    severity: 'page',
    summary: '{{ $value | humanizePercentage }} of the requests to {{ $labels.instance }} are answered with 5xx',
    meaning: 'The REST interface and the console fail. While the database is away that is expected.',
    action: 'See offhook_store_up and offhook_store_full; else the event operation_failed in the log names the operation.',
  },
}

const attempts = 'sum by (instance) (rate(offhook_endpoint_seconds_count[10m]))'

/** Assistants: response times for callers. */
const turnAlerts: Alerts = {
  OffhookTurnsSlow: {
    expr: 'histogram_quantile(0.95, sum by (le) (rate(offhook_turn_seconds_bucket[10m]))) > 2.5',
    for: '10m',
    severity: 'ticket',
    summary: 'One answer in twenty comes after {{ $value | humanizeDuration }}',
    meaning: 'Callers wait so long between their last word and the first sound of the answer that they speak again.',
    action:
      'Compare offhook_endpoint_seconds (the customer’s program) with offhook_speech_queue_seconds (our threads) and nodejs_eventloop_lag_p99_seconds (the machine).',
  },
  OffhookEndpointsFail: {
    expr: `sum by (instance) (rate(offhook_endpoint_failures_total[10m])) / ${attempts} > 0.1 and ${attempts} > 0.02`,
    for: '10m',
    severity: 'ticket',
    summary: '{{ $value | humanizePercentage }} of the attempts to reach customers’ endpoints from {{ $labels.instance }} fail',
    meaning: 'One customer’s program, or our way to all of them.',
    action:
      'If offhook_endpoint_breakers_open is small, it is a few customers: their delivery log says why. If it is large, check the way out: DNS, firewall, OFFHOOK_EGRESS_ALLOW.',
  },
  OffhookEndpointsSpared: {
    expr: 'max(offhook_endpoint_breakers_open) > 0',
    for: '15m',
    severity: 'ticket',
    summary: '{{ $value }} endpoints have not been asked for a quarter of an hour, because they fail',
    meaning: 'Their callers hear the fallback of the flow.',
    action: 'Tell the customers. The deliveries of their flows (console, or GET /v3/ai-flows/{id}/deliveries) show what came back.',
  },
  OffhookNotificationsFail: {
    expr: 'sum by (instance) (rate(offhook_notification_attempts_total{outcome="failed"}[10m])) / sum by (instance) (rate(offhook_notification_attempts_total[10m])) > 0.2 and sum by (instance) (rate(offhook_notification_attempts_total[10m])) > 0.02',
    for: '10m',
    severity: 'ticket',
    summary: '{{ $value | humanizePercentage }} of the call notifications of {{ $labels.instance }} fail',
    meaning: 'Accounts’ own software does not answer: their calls go on by the account’s settings, after the time that was waited for it.',
    action:
      'Several accounts: check the way out (DNS, firewall, OFFHOOK_EGRESS_ALLOW). One: its debug log of call notifications says what came back.',
  },
  OffhookSpeechLate: {
    expr: 'histogram_quantile(0.95, sum by (le, instance, part) (rate(offhook_speech_queue_seconds_bucket[5m]))) > 1',
    for: '5m',
    severity: 'ticket',
    summary: 'The {{ $labels.part }} of {{ $labels.instance }} is {{ $value | humanizeDuration }} behind',
    meaning: 'More is said at the same time than the speech threads can keep up with.',
    action:
      'More processors or machines, OFFHOOK_SPEECH_WORKERS up to half of the processors, a smaller OFFHOOK_WHISPER, or a speech provider.',
  },
  OffhookSpeechStuck: {
    expr: 'offhook_speech_waiting > 20',
    for: '1m',
    severity: 'page',
    summary: '{{ $value }} callers wait for the {{ $labels.part }} of {{ $labels.instance }}',
    meaning: 'The queue does not become shorter: assistants are silent or deaf.',
    action: 'Look for recogniser_thread_died and voice_unavailable in the log. Drain the process and start it again.',
  },
}

const missing = 'sum by (instance) (increase(offhook_sound_missing_total[30m]))'

/** Audio quality for callers. */
const soundAlerts: Alerts = {
  OffhookSoundPoor: {
    expr: 'histogram_quantile(0.1, sum by (le, instance) (rate(offhook_rtp_mos_bucket[10m]))) < 3.5 and sum by (instance) (increase(offhook_rtp_mos_count[10m])) >= 10',
    for: '10m',
    severity: 'ticket',
    summary: 'One stream in ten at {{ $labels.instance }} sounds poor: MOS {{ $value | humanize }}',
    meaning: 'Packets of callers get lost or come unevenly on their way to us.',
    action:
      'Is it loss (offhook_rtp_loss_ratio) or jitter (offhook_rtp_jitter_seconds)? Does it concern one carrier or all? If offhook_media_late_ticks_total grows, it is this machine.',
  },
  OffhookSoundMissing: {
    expr: `${missing} / sum by (instance) (increase(offhook_calls_answered_total[30m])) > 0.05 and ${missing} > 5`,
    for: '5m',
    severity: 'page',
    summary: 'In {{ $value | humanizePercentage }} of the calls of {{ $labels.instance }} somebody is not heard',
    meaning: 'Audio does not come, or does not arrive: mostly NAT or a firewall.',
    action:
      'The event phone_audio_missing names the state: nothing and stopped: packets do not reach us (OFFHOOK_RTP in the firewall); unheard: ours do not reach them (OFFHOOK_PUBLIC_ADDRESS); unknown_source: they come from an address that was not signalled.',
  },
  OffhookMediaLate: {
    expr: 'sum by (instance) (rate(offhook_media_late_ticks_total[5m])) > 5',
    for: '5m',
    severity: 'page',
    summary: '{{ $labels.instance }} sends audio late, {{ $value | humanize }} times a second',
    meaning: 'Too many calls for the processors, or other programs take their time: calls crackle.',
    action:
      'Send new calls elsewhere (drain it), end what else runs on the machine, add machines. OFFHOOK_MEDIA_WORKERS is best left alone.',
  },
  OffhookMediaThreadDied: {
    expr: 'sum by (instance) (increase(offhook_media_threads_died_total[15m])) > 0',
    severity: 'page',
    summary: 'A media thread of {{ $labels.instance }} died, and its calls ended',
    meaning: 'A fault of ours, or no memory was left. A new thread takes new calls.',
    action: 'The event media_worker_died has the error: report it. See offhook_heap_near_limit.',
  },
  OffhookPortsScarce: {
    expr: 'offhook_rtp_ports_used / offhook_rtp_ports > 0.8',
    for: '5m',
    severity: 'ticket',
    summary: '{{ $labels.instance }} uses {{ $value | humanizePercentage }} of its audio ports',
    meaning: 'Soon calls will be refused with 503.',
    action: 'Make OFFHOOK_RTP larger, and open it in the firewall: a call between two phones takes four ports.',
  },
  OffhookPortsExhausted: {
    expr: 'sum by (instance) (increase(offhook_rtp_ports_exhausted_total[5m])) > 0',
    severity: 'page',
    summary: '{{ $labels.instance }} refuses calls: no audio port is free',
    meaning: 'All ports of OFFHOOK_RTP are in use.',
    action: 'Make OFFHOOK_RTP larger, and open it in the firewall; until then send calls to other processes.',
  },
}

/** The database and its queues. */
const storeAlerts: Alerts = {
  OffhookDatabaseAway: {
    expr: 'offhook_store_up == 0',
    for: '1m',
    severity: 'page',
    summary: '{{ $labels.instance }} does not reach its database',
    meaning: 'Running calls go on. New ones are led by what is remembered, for five minutes; what costs money is refused.',
    action: 'Start PostgreSQL, or repair the way to it. What happened meanwhile waits in the data folder: keep it.',
  },
  OffhookDatabaseFull: {
    expr: 'offhook_store_full == 1',
    severity: 'page',
    summary: 'The disk of the database of {{ $labels.instance }} is full',
    meaning: 'Nothing can be written; new calls are refused.',
    action: 'Make room. Nothing has to be started again.',
  },
  OffhookDatabasePoolFull: {
    expr: 'offhook_db_pool_waiting > 0',
    for: '1m',
    severity: 'ticket',
    summary: '{{ $value }} wait for a database connection on {{ $labels.instance }}',
    meaning: 'All connections are in use all the time: PostgreSQL is slow, or there are too few.',
    action:
      'See offhook_db_query_seconds. If statements are fast, raise OFFHOOK_DB_POOL; all processes together must stay below max_connections less 10.',
  },
  OffhookDatabaseSlow: {
    expr: 'histogram_quantile(0.95, sum by (le, instance) (rate(offhook_db_write_seconds_bucket[10m]))) > 0.25',
    for: '10m',
    severity: 'ticket',
    summary: 'One transaction in twenty of {{ $labels.instance }} takes longer than {{ $value | humanizeDuration }}',
    meaning: 'Calls are set up later, and the ledger and histories are behind.',
    action: 'SQLite: a slow disk, or a backup. PostgreSQL: locks (pg_stat_activity), missing vacuum, a slow disk, the network.',
  },
  OffhookOutboxStuck: {
    expr: 'max by (kind) (offhook_outbox_overdue_seconds) > 120',
    for: '5m',
    severity: 'page',
    summary: 'Nobody delivers messages of kind {{ $labels.kind }}: they are {{ $value | humanizeDuration }} late',
    meaning: 'No process takes them, though their time has come.',
    action:
      'Look for delivery_failed with kind queue in the log, and at offhook_store_up. A process of an older version may lack the kind.',
  },
  OffhookOutboxOld: {
    expr: 'max by (kind) (offhook_outbox_oldest_seconds{kind=~"mail|carrier"}) > 900',
    for: '5m',
    severity: 'ticket',
    summary: 'A message of kind {{ $labels.kind }} has waited for {{ $value | humanizeDuration }}',
    meaning: 'Mails or messages to other carriers are refused or not taken, and are tried again and again.',
    action: 'The event delivery_failed has the answer of the mail server (OFFHOOK_SMTP_URL) or of the carrier.',
  },
  OffhookDeadLetters: {
    expr: 'sum by (kind) (increase(offhook_dead_letters_total[1h])) > 0',
    severity: 'ticket',
    summary: '{{ $value | humanize }} of kind {{ $labels.kind }} were given up within an hour',
    meaning: 'All attempts failed, for hours; nobody was told.',
    action: 'Console, Operator, Dead letters: the last error says why. When the cause is gone, send them again.',
  },
  OffhookJobsLate: {
    expr: 'max(offhook_jobs_overdue_seconds) > 300',
    for: '5m',
    severity: 'ticket',
    summary: 'A job is {{ $value | humanizeDuration }} late',
    meaning: 'Expiries, clean-ups, faxes or SMS are not done in time.',
    action: 'offhook_jobs_pending says of which kind there are many; job_failed in the log says why they fail.',
  },
  OffhookJournalWaits: {
    expr: 'offhook_journal_entries > 0 and on (instance) offhook_store_up == 1',
    for: '10m',
    severity: 'page',
    summary: '{{ $value }} ends of calls wait on the disk of {{ $labels.instance }}, though the database is back',
    meaning: 'They are not paid and not in the history. The journal has room for 10,000.',
    action: 'The event journal_failed says what the database objects to. Keep the file waiting-….journal.',
  },
}

/** Cluster of several nodes. */
const clusterAlerts: Alerts = {
  OffhookBusAway: {
    expr: 'offhook_bus_up == 0',
    for: '1m',
    severity: 'page',
    summary: '{{ $labels.instance }} does not hear the other processes',
    meaning:
      'Calls go on, but limits, busy lamps and commands are those of one process, and calls of a process that dies are taken over only when its lease ends.',
    action: 'Is NATS running, and reachable from this machine (OFFHOOK_BUS)? Certificates: OFFHOOK_BUS_CERT.',
  },
  OffhookLeaseLate: {
    expr: 'offhook_lease_age_seconds > 10',
    for: '30s',
    severity: 'page',
    summary: '{{ $labels.instance }} could not renew its lease for {{ $value | humanizeDuration }}',
    meaning: 'After fifteen seconds other processes take its calls.',
    action:
      'Its way to the database is slow or broken, or it stands still: see offhook_db_write_seconds and nodejs_eventloop_lag_p99_seconds.',
  },
  OffhookCallsTaken: {
    expr: 'sum by (instance) (increase(offhook_calls_lost_total[10m])) > 0',
    severity: 'ticket',
    summary: 'Other processes took {{ $value | humanize }} calls from {{ $labels.instance }}',
    meaning:
      'It stood still or was cut off for so long that the others went on without it. Callers heard a gap of a second or two. After draining by hand that is as it should be.',
    action: 'Look for what stopped it: a suspended virtual machine, swapping, the network.',
  },
  OffhookNeighbourGone: {
    expr: 'max(offhook_neighbours) < max(max_over_time(offhook_neighbours[1h]))',
    for: '15m',
    severity: 'ticket',
    summary: 'There are fewer processes than an hour ago',
    meaning: 'One ended, or is not heard any more, and nobody started another.',
    action: 'Start it again, or remove it from the targets of Prometheus if it was meant to go.',
  },
  OffhookVersionsDiffer: {
    expr: 'count(count by (version) (offhook_build_info)) > 1',
    for: '2h',
    severity: 'ticket',
    summary: '{{ $value }} versions run side by side',
    meaning: 'An upgrade was not finished. Two neighbouring versions work together, but nobody wants that for long.',
    action: 'offhook_build_info says which process has which. Go on with the upgrade, or back.',
  },
}

/** All alerts. The source of the Prometheus rules and of their page in the documentation. */
export const alerts: AlertsByArea = {
  calls: callAlerts,
  turn: turnAlerts,
  sound: soundAlerts,
  machine: machineAlerts,
  store: storeAlerts,
  cluster: clusterAlerts,
}
