import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { Scope } from '../machine/temporary-folder.ts'

/** Messages to lose in one call: `INVITE 1` is its first INVITE, `200 BYE 2` the second 200 of its BYE. */
export type Losses = readonly string[]

/** Network between a carrier and the service that loses exactly the listed messages, so that runs are deterministic. */
export interface LossyRelay {
  /** host:port that the carrier calls. */
  readonly address: string
  /** Lost messages so far, by call in the order of their first messages. */
  lost(): string[][]
}

/** SIP over UDP from one caller at `address`; the first call has the losses of `plans[0]`, and so on. */
export const startLossyRelay = async (t: Scope, address: string, target: string, plans: readonly Losses[]): Promise<LossyRelay> => {
  const [host = '', port = ''] = target.split(':')
  const calls = new Map<string, RelayedCall>()
  const near = await open(t, address)
  const far = await open(t, address)
  let caller: RemoteInfo | undefined

  const isLost = (message: Buffer): boolean => {
    const { callId, name } = described(message.toString())
    const call = calls.get(callId) ?? { losses: plans[calls.size] ?? [], seen: new Map<string, number>(), lost: [] }
    calls.set(callId, call)
    return loses(call, name)
  }
  near.on('message', (message, from) => {
    caller = from
    if (!isLost(message)) far.send(message, Number(port), host)
  })
  far.on('message', (message) => {
    if (caller && !isLost(message)) near.send(message, caller.port, caller.address)
  })
  return { address: `${address}:${near.address().port}`, lost: () => [...calls.values()].map(({ lost }) => lost) }
}

interface RelayedCall {
  losses: Losses
  seen: Map<string, number>
  lost: string[]
}

const loses = ({ losses, seen, lost }: RelayedCall, name: string): boolean => {
  const times = (seen.get(name) ?? 0) + 1
  seen.set(name, times)
  const message = `${name} ${times}`
  if (!losses.includes(message)) return false
  lost.push(message)
  return true
}

const described = (message: string): { callId: string; name: string } => {
  const callId = /^Call-ID: *(.+)\r$/im.exec(message)?.[1] ?? ''
  const status = /^SIP\/2\.0 (\d{3})/.exec(message)?.[1]
  const method = /^CSeq: *\d+ +(\w+)/im.exec(message)?.[1] ?? ''
  return { callId, name: status === undefined ? method : `${status} ${method}` }
}

const open = async (t: Scope, address: string): Promise<Socket> => {
  const socket = createSocket('udp4').bind(0, address)
  await once(socket, 'listening')
  t.after(() => socket.close())
  return socket
}
