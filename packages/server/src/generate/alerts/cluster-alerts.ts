import type { Alerts } from './alert.ts'

/** Several processes. */
export const clusterAlerts: Alerts = {
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
