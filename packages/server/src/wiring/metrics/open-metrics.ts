import { diskSamples, openFileSamples, processSamples, watchMainThread } from '#adapters/machine/process-samples.ts'
import type { WatchedIsolate } from '#core/operate/metrics/memory-watch.ts'
import type { CertificateExpiry } from '#core/kernel/network/certificate.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { Settings } from '#settings/config.ts'
import { version } from '#settings/version.ts'
import type { Open } from '../closing.ts'
import type { Core } from '../core.ts'
import type { Platform } from '../platform.ts'
import type { QueueFigures } from '#core/kernel/ports/store/work.ts'

/** Additional metrics of /metrics. Loaded only where the page exists: nothing here runs elsewhere. */
export const openMetrics = (settings: Settings, platform: Platform, core: Core, open: Open): void => {
  const { metrics, memory, certificates } = platform
  const mainThread = open(watchMainThread())
  metrics.add(processSamples(version()))
  metrics.add(mainThread.samples)
  metrics.add(() => memory.isolates.flatMap(isolateSamples))
  metrics.add(callSamples(core))
  metrics.add(clusterSamples(platform, core))
  metrics.add(storeSamples(platform))
  metrics.addCostly(queueSamples(platform))
  metrics.addCostly(diskSamples(settings.OFFHOOK_DATA))
  metrics.addCostly(openFileSamples)
  metrics.add(() => certificates.expiries().map(certificateSample))
}

const isolateSamples = (isolate: WatchedIsolate): Sample[] => {
  const labels = { thread: isolate.thread, id: String(isolate.id) }
  return [
    { name: 'offhook_thread_cpu_seconds_total', labels, value: isolate.cpuSeconds },
    { name: 'offhook_heap_used_bytes', labels, value: isolate.heapUsed },
    { name: 'offhook_heap_total_bytes', labels, value: isolate.heapTotal },
    { name: 'offhook_heap_limit_bytes', labels, value: isolate.heapLimit },
    { name: 'offhook_external_bytes', labels, value: isolate.external },
    { name: 'offhook_array_buffer_bytes', labels, value: isolate.arrayBuffers },
    { name: 'offhook_heap_near_limit', labels, value: Number(isolate.nearLimit) },
  ]
}

/** Expiry of the certificates in use, even if their files have changed. */
const certificateSample = ({ name, notAfter }: CertificateExpiry): Sample => ({
  name: 'offhook_certificate_expiry_timestamp_seconds',
  labels: { name },
  value: notAfter / 1000,
})

/** Availability of the database. */
export const storeSamples =
  ({ store: { reach }, storage, journal }: Platform) =>
  (): Sample[] => [
    { name: 'offhook_store_up', value: Number((reach?.awayMs ?? 0) === 0) },
    { name: 'offhook_store_full', value: Number(storage.full) },
    ...(journal ? [{ name: 'offhook_journal_entries' as const, value: journal.size }] : []),
  ]

/** Queue lengths of the whole installation. */
export const queueSamples =
  ({ store, clock, wallClock }: Platform) =>
  async (): Promise<Sample[]> => {
    if ((store.reach?.awayMs ?? 0) > 0) return []
    const { outbox, jobs, devices } = store.read
    const [messages, work] = [await outbox.figures(), await jobs.figures()]
    return [
      { name: 'offhook_registrations', value: await devices.countRegistrations(wallClock.now()) },
      ...messages.flatMap((kind) => messageSamples(kind, clock.now())),
      ...work.map(({ kind, pending }): Sample => ({ name: 'offhook_jobs_pending', labels: { kind }, value: pending })),
      ...work.map(({ kind, dead }): Sample => ({ name: 'offhook_jobs_parked', labels: { kind }, value: dead })),
      { name: 'offhook_jobs_overdue_seconds', value: Math.max(0, ...work.map(({ dueAt }) => secondsSince(dueAt, clock.now()))) },
    ]
  }

const messageSamples = ({ kind, pending, oldestAt, dueAt, dead }: QueueFigures, now: number): Sample[] => [
  { name: 'offhook_outbox_pending', labels: { kind }, value: pending },
  { name: 'offhook_outbox_oldest_seconds', labels: { kind }, value: secondsSince(oldestAt, now) },
  { name: 'offhook_outbox_overdue_seconds', labels: { kind }, value: secondsSince(dueAt, now) },
  { name: 'offhook_outbox_dead', labels: { kind }, value: dead },
]

const secondsSince = (at: number | undefined, now: number): number => (at === undefined ? 0 : Math.max(0, now - at) / 1000)

const callStates = ['dialing', 'ringing', 'active', 'transferring', 'consulting'] as const

/** Current calls, phones and trunks of this node. */
export const callSamples =
  ({ telephone, faxes, assistants }: Core) =>
  (): Sample[] => {
    const { telephony, callRouter } = telephone
    const states = callRouter.states
    return [
      ...callStates.map((state): Sample => ({
        name: 'offhook_calls',
        labels: { state },
        value: states.filter((one) => one === state).length,
      })),
      { name: 'offhook_sessions_running', value: assistants.size },
      { name: 'offhook_faxes_running', value: faxes.size },
      ...telephony.responses.entries.map(({ direction, class: digit, count }): Sample => ({
        name: 'offhook_sip_responses_total',
        labels: { direction, class: digit },
        value: count,
      })),
      ...telephony.trunkStates.all().flatMap(({ id: trunk, name, state }): Sample[] => [
        { name: 'offhook_trunk_up', labels: { trunk, name }, value: Number(state.usable) },
        { name: 'offhook_trunk_calls', labels: { trunk, name }, value: state.calls },
      ]),
    ]
  }

/** This node in the cluster. */
export const clusterSamples =
  ({ bus }: Platform, { presence, peerNodes, leases }: Core) =>
  (): Sample[] => [
    { name: 'offhook_ready', value: Number(presence.isReady) },
    ...(bus.alone
      ? []
      : [
          { name: 'offhook_bus_up' as const, value: Number(bus.connected) },
          { name: 'offhook_neighbours' as const, value: peerNodes.others().length },
        ]),
    { name: 'offhook_leases_held', value: leases.size },
    ...(leases.ageMs === undefined ? [] : [{ name: 'offhook_lease_age_seconds' as const, value: leases.ageMs / 1000 }]),
  ]
