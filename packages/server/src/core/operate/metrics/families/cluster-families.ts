import { counter, gauge } from './family.ts'

/** This process among others. */
export const clusterFamilies = {
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
