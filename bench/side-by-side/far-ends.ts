import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from '#test/machine/peer-process.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { startSipp, type Sipp, type SippOptions } from '#test/peers/sipp.ts'
import { carrier, register, type Candidate } from './candidate.ts'

const scenarios = join(import.meta.dirname, 'scenarios')

/** SDP offer of both phones of a call: A-law, with or without telephone-event. */
export interface Offer {
  /** Port that sends and receives RTP. */
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
  /** Milliseconds of each call. */
  talkMs?: number
  traced?: boolean
}

/** Generous, because the machine may be busy. */
const timeoutMs = 60_000

/** Carrier that originates calls. */
export const startCarrier = (
  scope: Scope,
  { sip }: Pick<Candidate, 'sip'>,
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

/** Phone that answers every call. */
export const openPhone = (scope: Scope, offer: Offer): Promise<Sipp> =>
  startSipp(scope, { scenario: join(scenarios, 'uas'), keys: keysOf(offer), calls: 1_000_000 })

/** Registered phone that answers every call. */
export const startPhone = async (scope: Scope, candidate: Candidate, offer: Offer): Promise<Sipp> => {
  const phone = await openPhone(scope, offer)
  await register(scope, candidate, phone)
  return phone
}

/** RTP ports that this side was told to send to, once there are as many as calls. */
export const soundPorts = (sipp: Sipp, calls: number): Promise<number[]> =>
  until(`${calls} calls that stand`, async () => {
    const ports = portsIn(await sipp.logged())
    return ports.length >= calls ? ports : undefined
  })

export const portsIn = (logged: string): number[] => [...logged.matchAll(/m=audio (\d+)/g)].map(([, port]) => Number(port))

/** Silent RTP port: short calls carry no sound. */
export const openSink = async (scope: Scope): Promise<number> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  scope.after(() => socket.close())
  return socket.address().port
}
