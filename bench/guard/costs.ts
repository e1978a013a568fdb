import { join } from 'node:path'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { sipp, startSipp, type Sipp } from '#test/peers/sipp.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { startChild } from '../shared/child.ts'
import { processCpuMs } from '../shared/process-cpu.ts'
import { startLoad } from '../shared/start-load.ts'

/** One round: milliseconds per call, request or packet; undefined if something failed. */
export type Round = () => Promise<number | undefined>

export interface Service {
  exchange: Exchange
  pid: number
  phone: Sipp
  bridgedNumber: string
}

const carrier = '127.0.0.2'
const callsPerSecond = 60
const callsInRound = 120
const requestsInRound = 1_500
const connections = 16

export const startService = async (scope: Scope): Promise<Service> => {
  const exchange = await startExchange(scope, { OFFHOOK_LOG: 'error', OFFHOOK_RATE_LIMIT: '0' })
  await exchange.newTrunk(carrier)
  const phone = await startSipp(scope, { scenario: 'uas', calls: 1_000_000 })
  return { exchange, pid: exchange.program.child.pid ?? -1, phone, bridgedNumber: await exchange.numberOf(scope, phone) }
}

const cpuOf = async (pid: number, work: () => Promise<unknown>): Promise<number> => {
  const before = processCpuMs(pid)
  await work()
  return processCpuMs(pid) - before
}

export const callRound =
  (scope: Scope, { exchange, pid }: Service, service: string): Round =>
  async () => {
    const run = { scenario: 'uac', target: exchange.sip, address: carrier, service, rate: callsPerSecond, concurrent: 1000 }
    let failed = 0
    const ms = await cpuOf(pid, async () => ({ failed } = await sipp(scope, { ...run, calls: callsInRound })))
    return failed > 0 ? undefined : ms / callsInRound
  }

/** GET /v1/account with a bearer token. */
export const requestRound =
  ({ exchange: { http, token }, pid }: Service): Round =>
  async () => {
    let left = requestsInRound
    const client = async (): Promise<void> => {
      while (left-- > 0) {
        const reply = await fetch(`${http}/v1/account`, { headers: { authorization: `Bearer ${token}` } })
        if (reply.status !== 200) throw new Error(`GET /v1/account: ${reply.status}`)
        await reply.arrayBuffer()
      }
    }
    const ms = await cpuOf(pid, () => Promise.all(Array.from({ length: connections }, client)))
    return ms / requestsInRound
  }

const bridges = 50
const windowMs = 1_000
const minHeard = 0.9

/** Packets that the media engine receives on one leg of a bridge and sends on the other. */
export const startPackets = async (scope: Scope): Promise<Round> => {
  const load = await startLoad()
  scope.after(() => load.stop())
  const serve = [join(import.meta.dirname, '../shared/serve-media.ts'), 'bridge', String(bridges), String(load.port)]
  const server = await startChild(serve)
  scope.after(() => server.stop())
  return async () => {
    const running = load.measure({ ports: bridges * 2, settleMs: 100, measureMs: windowMs })
    await running.begun
    const ms = await cpuOf(server.pid, () => running.ended)
    const { sent, received } = await running.result
    return received < sent * minHeard ? undefined : ms / received
  }
}
