import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from '#test/machine/peer-process.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { startSipp, type Sipp, type SippOptions } from '#test/peers/sipp.ts'
import { carrier, register, type Candidate } from './candidate.ts'

const scenarios = join(import.meta.dirname, 'scenarios')

/** What both phones of a call offer: A-law, and keys as events or not. */
export interface Offer {
  /** Where their sound comes from and is heard. */
  rtpPort: number
  events: boolean
}

const keysOf = ({ rtpPort, events }: Offer): Record<string, string> => ({
  rtp_ip: '127.0.0.1',
  rtp_port: String(rtpPort),
  formats: events ? '8 101' : '8',
  attribute: events ? 'rtpmap:101 telephone-event/8000' : 'sendrecv',
})

export interface Calls extends Offer {
  service: string
  calls: number
  rate: number
  /** How long each of them lasts. */
  talkMs?: number
  traced?: boolean
}

/** A busy machine is no reason to give up. */
const timeoutMs = 60_000

/** A carrier that begins calls. */
export const startCarrier = (
  scope: Scope,
  { sip }: Candidate,
  { service, calls, rate, talkMs = 0, traced = false, ...offer }: Calls,
): Promise<Sipp> => {
  const run: SippOptions = {
    scenario: join(scenarios, 'uac'),
    target: sip,
    address: carrier,
    keys: keysOf(offer),
    concurrent: calls,
    limitMs: (calls / rate) * 1000 + talkMs + timeoutMs,
    more: ['-d', String(talkMs)],
    service,
    calls,
    rate,
    traced,
  }
  return startSipp(scope, run)
}

/** A phone that takes every call, registered. */
export const startPhone = async (scope: Scope, candidate: Candidate, offer: Offer): Promise<Sipp> => {
  const phone = await startSipp(scope, { scenario: join(scenarios, 'uas'), keys: keysOf(offer), calls: 1_000_000 })
  await register(scope, candidate, phone)
  return phone
}

/** The ports to which such a side was told to send its sound, once there are as many as calls. */
export const soundPorts = (sipp: Sipp, calls: number): Promise<number[]> =>
  until(`${calls} calls that stand`, async () => {
    const ports = portsIn(await sipp.logged())
    return ports.length >= calls ? ports : undefined
  })

export const portsIn = (logged: string): number[] => [...logged.matchAll(/m=audio (\d+)/g)].map(([, port]) => Number(port))

/** Hears and says nothing: calls of a moment have no sound. */
export const openSink = async (scope: Scope): Promise<number> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  scope.after(() => socket.close())
  return socket.address().port
}
