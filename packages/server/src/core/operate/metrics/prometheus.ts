import type { Durations } from './durations.ts'
import type { Figures } from './figures.ts'
import type { WatchedIsolate } from './memory-watch.ts'

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30]

/** A figure that another part counts, or has at this moment. A counter only grows. */
export interface Reading {
  /** Without `offhook_` and `_total`. */
  name: string
  kind: 'counter' | 'gauge'
  help: string
  value: number
}

/** What a process holds: its threads, and all of them together. */
export interface Memory {
  isolates: readonly WatchedIsolate[]
  residentBytes: number
}

/** What one process has done since it began, and what it holds, in the text format that Prometheus reads. */
export const prometheusText = (total: Figures, readings: readonly Reading[], { isolates, residentBytes }: Memory): string =>
  [
    counter('calls_started', 'Calls that came or were begun.', total.callsStarted),
    counter('calls_answered', 'Calls that somebody took.', total.callsAnswered),
    counter('calls_failed', 'Calls that ended by a fault.', total.callsFailed),
    gauge('calls_running', 'Running calls.', total.callsRunning),
    counter('endpoint_failures', 'Attempts to tell customers’ endpoints something that failed.', total.endpointFailures),
    counter('http_failures', 'Requests that were answered with a status of 500 or more.', total.httpFailures),
    histogram('call_setup_seconds', 'From a call’s arrival until somebody rings or answers.', total.setUp),
    histogram('turn_seconds', 'From a caller’s last sound to the first of the answer.', total.turn),
    histogram('endpoint_seconds', 'How long endpoints took to answer.', total.endpoint),
    histogram('http_seconds', 'How long requests to the REST interface took.', total.http),
    ...readings.map(({ name, kind, help, value }) => (kind === 'counter' ? counter(name, help, value) : gauge(name, help, value))),
    metric('resident_bytes', 'gauge', 'Memory of the whole process.', [`offhook_resident_bytes ${residentBytes}`]),
    byThread('heap_used_bytes', 'What a thread’s heap holds.', isolates, ({ heapUsed }) => heapUsed),
    byThread('heap_total_bytes', 'What a thread’s heap takes.', isolates, ({ heapTotal }) => heapTotal),
    byThread('heap_limit_bytes', 'What a thread’s heap may take.', isolates, ({ heapLimit }) => heapLimit),
    byThread('external_bytes', 'What a thread’s objects hold outside of its heap.', isolates, ({ external }) => external),
    byThread('array_buffer_bytes', 'What a thread holds of that as buffers, shared ones included.', isolates, (one) => one.arrayBuffers),
    byThread('heap_near_limit', '1: four fifths of the heap are needed for good.', isolates, ({ nearLimit }) => Number(nearLimit)),
  ].join('')

const metric = (name: string, type: string, help: string, lines: readonly string[]): string =>
  `${[`# HELP offhook_${name} ${help}`, `# TYPE offhook_${name} ${type}`, ...lines].join('\n')}\n`

const counter = (name: string, help: string, value: number): string =>
  metric(`${name}_total`, 'counter', help, [`offhook_${name}_total ${value}`])

const gauge = (name: string, help: string, value: number): string => metric(name, 'gauge', help, [`offhook_${name} ${value}`])

const byThread = (name: string, help: string, isolates: readonly WatchedIsolate[], value: (isolate: WatchedIsolate) => number): string =>
  metric(
    name,
    'gauge',
    help,
    isolates.map((isolate) => `offhook_${name}{thread="${isolate.thread}",id="${isolate.id}"} ${value(isolate)}`),
  )

const histogram = (name: string, help: string, durations: Durations): string =>
  metric(name, 'histogram', help, [
    ...bounds.map((seconds) => `offhook_${name}_bucket{le="${seconds}"} ${durations.within(seconds * 1000)}`),
    `offhook_${name}_bucket{le="+Inf"} ${durations.size}`,
    `offhook_${name}_sum ${durations.totalMs / 1000}`,
    `offhook_${name}_count ${durations.size}`,
  ])
