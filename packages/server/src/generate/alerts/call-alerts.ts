import type { Alerts } from './alert.ts'

const failed = 'sum by (instance) (rate(offhook_calls_failed_total[5m]))'
const started = 'sum by (instance) (rate(offhook_calls_started_total[5m]))'
const finalResponses = 'sum by (instance) (rate(offhook_sip_responses_total{direction="sent",class!="1xx"}[5m]))'
const faultyResponses = 'sum by (instance) (rate(offhook_sip_responses_total{direction="sent",class=~"5xx|6xx"}[5m]))'
const maxRegistrations = 'max(max_over_time(offhook_registrations[1h]))'

/** Calls, phones and carriers. */
export const callAlerts: Alerts = {
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
  OffhookHttpFails: {
    expr: 'sum by (instance) (rate(offhook_http_failures_total[5m])) / sum by (instance) (rate(offhook_http_seconds_count[5m])) > 0.02 and sum by (instance) (rate(offhook_http_failures_total[5m])) > 0.05',
    for: '5m',
    severity: 'page',
    summary: '{{ $value | humanizePercentage }} of the requests to {{ $labels.instance }} are answered with 5xx',
    meaning: 'The REST interface and the console fail. While the database is away that is expected.',
    action: 'See offhook_store_up and offhook_store_full; else the event operation_failed in the log names the operation.',
  },
}
