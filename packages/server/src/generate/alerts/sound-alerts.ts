import type { Alerts } from './alert.ts'

const missing = 'sum by (instance) (increase(offhook_sound_missing_total[30m]))'

/** What callers hear. */
export const soundAlerts: Alerts = {
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
