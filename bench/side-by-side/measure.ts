import { loadavg } from 'node:os'
import { join } from 'node:path'
import { residentMegabytes, startChild } from '../shared/child.ts'
import { percentile } from '../shared/percentiles.ts'
import { processCpuMs } from '../shared/process-cpu.ts'
import { setupTimes } from '../shared/setup-times.ts'
import { startLoad, type Load } from '../shared/start-load.ts'
import type { LoadOrder } from '../shared/rtp-load.ts'
import type { MediaMode } from '../shared/serve-media.ts'
import type { Candidate } from './candidate.ts'
import { openSink, soundPorts, startCarrier, startPhone } from './far-ends.ts'
import { inScope } from '../shared/scope.ts'
import type { Round } from './rounds.ts'

const settleMs = 2_000
const measureMs = 8_000
const packetsPerSecond = 50
/** New standing calls per second; both candidates accept this rate without errors. */
const fillRate = 50
/** Milliseconds until the phones of a round know where to send. */
const startMs = 3_000

export interface SetUpInput {
  service: string
  calls: number
  rate: number
  events: boolean
  /** A phone answers behind the candidate. */
  bridged: boolean
}

/** Set-up and tear-down of short calls. */
export const measureSetUp = async (candidate: Candidate, { bridged, ...input }: SetUpInput): Promise<Round> =>
  inScope(async (scope) => {
    const offer = { rtpPort: await openSink(scope), events: input.events }
    if (bridged) await startPhone(scope, candidate, offer)
    const before = processCpuMs(candidate.pid)
    const { failed, succeeded, messages } = await (await startCarrier(scope, candidate, { ...offer, ...input, traced: true })).result()
    const cpuMs = processCpuMs(candidate.pid) - before
    const times = setupTimes(messages)
    return {
      failed: failed + (input.calls - failed - succeeded),
      load: loadNow(),
      figures: {
        cpuMsPerCall: cpuMs / input.calls,
        inviteTo200P50Ms: percentile(times, 0.5),
        inviteTo200P95Ms: percentile(times, 0.95),
        residentMb: residentMegabytes(candidate.pid),
      },
    }
  })

export interface StandingInput {
  service: string
  calls: number
  events: boolean
  bridged: boolean
}

/** Standing calls with RTP from every phone. */
export const measureStanding = async (candidate: Candidate, { service, calls, events, bridged }: StandingInput): Promise<Round> =>
  inScope(async (scope) => {
    const load = await startLoad()
    scope.after(() => load.stop())
    const offer = { rtpPort: load.port, events }
    const phone = bridged ? await startPhone(scope, candidate, offer) : undefined
    const talkMs = (calls / fillRate) * 1000 + startMs + settleMs + measureMs
    const caller = await startCarrier(scope, candidate, { ...offer, service, calls, rate: fillRate, talkMs })
    const to = [...(await soundPorts(caller, calls)), ...(phone ? await soundPorts(phone, calls) : [])]
    const round = await measureSound(load, candidate.pid, { ports: to.length, to, settleMs, measureMs }, calls)
    const { failed } = await caller.result()
    return { ...round, failed }
  })

/** The same for Offhook's media engine within the whole service, in the modes without a number. */
export const measureBeside = async (mode: MediaMode, calls: number): Promise<Round> =>
  inScope(async (scope) => {
    const load = await startLoad()
    scope.after(() => load.stop())
    const order = { ports: calls, settleMs, measureMs }
    const running = load.measure(order)
    const serve = [join(import.meta.dirname, '../shared/serve-media.ts'), mode, String(calls), String(load.port), 'service']
    const server = await startChild(serve, { OFFHOOK_SPEECH: 'off' })
    scope.after(() => server.stop())
    return measuredOf(running, server.pid, order, calls)
  })

const measureSound = (load: Load, pid: number, order: LoadOrder, calls: number): Promise<Round> =>
  measuredOf(load.measure(order), pid, order, calls)

const measuredOf = async (running: ReturnType<Load['measure']>, pid: number, { ports }: LoadOrder, calls: number): Promise<Round> => {
  await running.begun
  const [before, from] = [processCpuMs(pid), performance.now()]
  await running.ended
  const [cpuMs, ms] = [processCpuMs(pid) - before, performance.now() - from]
  const { received, p99 } = await running.result
  return {
    failed: 0,
    load: loadNow(),
    heard: received / ((ports * packetsPerSecond * ms) / 1000),
    figures: { cpuPercentPerCall: ((cpuMs / ms) * 100) / calls, pacingP99Ms: p99, residentMb: residentMegabytes(pid) },
  }
}

const loadNow = (): number => loadavg()[0] ?? 0
