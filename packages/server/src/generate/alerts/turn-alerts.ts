import type { Alerts } from './alert.ts'

const attempts = 'sum by (instance) (rate(offhook_endpoint_seconds_count[10m]))'

/** Assistants: how long callers wait for an answer. */
export const turnAlerts: Alerts = {
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
