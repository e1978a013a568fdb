import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMetrics } from '#test/http/read-metrics.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { startExchange, type Exchange, type SipLogin } from '#test/service/exchange.ts'
import { runAsked, WrongOptions, writtenOptions } from '../shared/asked.ts'
import { residentMegabytes } from '../shared/child.ts'
import { percentile, rounded } from '../shared/percentiles.ts'
import { processCpuMs } from '../shared/process-cpu.ts'
import { inScope } from '../shared/scope.ts'
import { startLoad, type Load } from '../shared/start-load.ts'
import { carrier } from '../side-by-side/candidate.ts'
import { openPhone, soundPorts, startCarrier } from '../side-by-side/far-ends.ts'
import { startFlood, type FloodOrder } from './flood-sender.ts'

/**
 * Floods of unauthenticated requests during calls: REGISTER latency for a registered office and for a phone from a new address, RTP packets lost,
 * and cost per flood message. Everything stays on loopback: each flood source is an address of 127.0.0.0/8.
 */
const usage =
  'node bench/calls/flood.ts [--rate 10000] [--seconds 20] [--calls 10] [--only quiet|invites|registers|credentials|one-source|trunk]'
const [office, floodingCarrier, flooder] = ['127.0.0.71', '127.0.0.3', '127.0.0.66']
const officePhones = 10
const newPhones = 20
const registerEveryMs = 100
const newPhoneEveryMs = 1_000
const trunkPerSecond = 3_000
const settleMs = 2_000
const metricsToken = 'bench'
const settings = { OFFHOOK_LOG: 'error', OFFHOOK_RATE_LIMIT: '0', OFFHOOK_SIP_LIMIT_LOOPBACK: 'on', OFFHOOK_METRICS_TOKEN: metricsToken }

type Phase = Omit<FloodOrder, 'target' | 'seconds'>

interface Stage {
  exchange: Exchange
  pid: number
  load: Load
  /** Ports of the service that receive the calls' RTP. */
  ports: readonly number[]
  phones: readonly SipPhone[]
  /** Logins of phones that use a new address each time. */
  logins: readonly SipLogin[]
  /** Addresses used so far. */
  moved: number
  seconds: number
}

const readOptions = () => {
  const text = { type: 'string' } as const
  const options = {
    rate: { ...text, default: '10000' },
    seconds: { ...text, default: '20' },
    calls: { ...text, default: '10' },
    only: text,
  }
  const { rate, seconds, calls, only } = writtenOptions(process.argv.slice(2), options, usage)
  const numbers = [Number(rate), Number(seconds), Number(calls)] as const
  if (numbers.some((number) => !Number.isInteger(number) || number < 1)) throw new WrongOptions('whole numbers from 1 on', usage)
  return { rate: numbers[0], seconds: numbers[1], calls: numbers[2], only }
}

const phasesAt = (rate: number, user: string): Record<string, Phase> => ({
  quiet: { method: 'INVITE', user, perSecond: 0 },
  invites: { method: 'INVITE', user, perSecond: rate },
  registers: { method: 'REGISTER', user, perSecond: rate },
  credentials: { method: 'REGISTER', user, perSecond: rate, hasCredentials: true },
  'one-source': { method: 'INVITE', user, source: flooder, perSecond: rate },
  trunk: { method: 'INVITE', user, source: floodingCarrier, perSecond: trunkPerSecond },
})

/** Milliseconds until the phone is registered; undefined if registration failed. */
const registerOnce = async (phone: SipPhone): Promise<number | undefined> => {
  const startedAt = performance.now()
  const { status } = await phone.register()
  return status === 200 ? performance.now() - startedAt : undefined
}

/** Starts the work at a fixed interval until the time is up, even if the previous run is still pending. */
const repeat = async <T>(intervalMs: number, seconds: number, work: (nth: number) => Promise<T>): Promise<T[]> => {
  const begun: Promise<T>[] = []
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await sleep(intervalMs)) begun.push(work(begun.length))
  return Promise.all(begun)
}

const registerNewPhone = (stage: Stage): Promise<number | undefined> =>
  inScope(async (scope) => {
    const nth = stage.moved++
    const { user, password } = stage.logins[nth % stage.logins.length]!
    const address = `127.1.${nth >> 8}.${nth & 255}`
    return registerOnce(await SipPhone.open(scope, { server: stage.exchange.sip, address, user, password }))
  })

const timesOf = (waits: readonly (number | undefined)[]) => {
  const times = waits.filter((wait) => wait !== undefined)
  return {
    count: waits.length,
    failed: waits.length - times.length,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    maxMs: percentile(times, 1),
  }
}

type Times = ReturnType<typeof timesOf>

interface Row {
  phase: string
  sent: number
  perSecond: number
  office: Times
  newPhones: Times
  packets: number
  packetsLost: number
  /** Percent of one processor. */
  cpuPercent: number
  /** CPU microseconds per message read, above the service's load without the flood. */
  cpuUsPerMessage: number | undefined
  /** Datagrams that the kernel dropped because the receive buffer was full. */
  unread: number
  rtpPortsUsed: number | undefined
  rtpPortsExhausted: number | undefined
  residentMb: number
  load: number
}

/** Datagrams that the kernel dropped because the receive buffer was full. */
const unreadBy = (port: number): number => {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  const lines = readFileSync('/proc/net/udp', 'utf8').split('\n')
  return Number(
    lines
      .find((line) => line.includes(local))
      ?.trim()
      .split(/\s+/)
      .at(-1) ?? 0,
  )
}

const measure = async (stage: Stage, name: string, phase: Phase, quietCpuPercent: number): Promise<Row> => {
  const { exchange, pid, load, ports, phones, seconds } = stage
  const port = Number(exchange.sip.split(':')[1])
  const sound = load.measure({ ports: ports.length, to: ports, settleMs: 0, measureMs: seconds * 1000 })
  await sound.begun
  const [cpuBefore, unreadBefore, startedAt] = [processCpuMs(pid), unreadBy(port), performance.now()]
  return inScope(async (scope) => {
    const flooding = phase.perSecond === 0 ? undefined : startFlood(scope, { ...phase, target: { address: '127.0.0.1', port }, seconds })
    const [known, fresh] = await Promise.all([
      repeat(registerEveryMs, seconds, (nth) => registerOnce(phones[nth % phones.length]!)),
      repeat(newPhoneEveryMs, seconds, () => registerNewPhone(stage)),
    ])
    const flood = await flooding
    const ms = performance.now() - startedAt
    const cpuMs = processCpuMs(pid) - cpuBefore
    const unread = unreadBy(port) - unreadBefore
    const { lost, received } = await sound.result
    const figures = await readMetrics(exchange.http, metricsToken)
    return {
      phase: name,
      sent: flood?.sent ?? 0,
      perSecond: rounded((flood?.sent ?? 0) / (flood?.seconds ?? 1), 0),
      office: timesOf(known),
      newPhones: timesOf(fresh),
      packets: received,
      packetsLost: lost,
      cpuPercent: rounded((cpuMs / ms) * 100),
      cpuUsPerMessage: flood && rounded((1000 * (cpuMs - (quietCpuPercent / 100) * ms)) / (flood.sent - unread)),
      unread,
      rtpPortsUsed: figures.get('offhook_rtp_ports_used'),
      rtpPortsExhausted: figures.get('offhook_rtp_ports_exhausted_total'),
      residentMb: residentMegabytes(pid),
      load: rounded(loadavg()[0] ?? 0),
    }
  })
}

/** Calls from a carrier to a phone, with RTP from both. */
const startCalls = async (scope: Scope, exchange: Exchange, calls: number, talkMs: number): Promise<Pick<Stage, 'load' | 'ports'>> => {
  const load = await startLoad()
  scope.after(() => load.stop())
  const offer = { rtpPort: load.port, events: true }
  const phone = await openPhone(scope, offer)
  const service = await exchange.numberOf(scope, phone)
  const caller = await startCarrier(scope, exchange, { ...offer, service, calls, rate: 10, talkMs })
  return { load, ports: [...(await soundPorts(caller, calls)), ...(await soundPorts(phone, calls))] }
}

const run = async (): Promise<void> => {
  const { rate, seconds, calls, only } = readOptions()
  await inScope(async (scope) => {
    const exchange = await startExchange(scope, settings)
    const phases = Object.entries(phasesAt(rate, exchange.demoNumber)).filter(([name]) => name === 'quiet' || (only ?? name) === name)
    await exchange.newTrunk(carrier)
    await exchange.newTrunk(floodingCarrier, { callsPerSecond: 10, maxCalls: 1_000 })
    const logins: SipLogin[] = []
    const phones: SipPhone[] = []
    for (let nth = 0; nth < officePhones; nth++) {
      const { user, password } = await exchange.newDevice()
      phones.push(await SipPhone.open(scope, { server: exchange.sip, address: office, user, password }))
      await phones.at(-1)?.register()
    }
    for (let nth = 0; nth < newPhones; nth++) logins.push(await exchange.newDevice())
    const perPhaseMs = (seconds + 40) * 1000
    const { load, ports } = await startCalls(scope, exchange, calls, phases.length * perPhaseMs)
    await sleep(settleMs)
    const stage: Stage = { exchange, pid: exchange.program.child.pid ?? -1, load, ports, phones, logins, moved: 0, seconds }
    const rows: Row[] = []
    for (const [name, phase] of phases) rows.push(await measure(stage, name, phase, rows[0]?.cpuPercent ?? 0))
    console.log(JSON.stringify({ bench: 'flood', rate, seconds, calls, rows }))
  })
}

await runAsked(run)
