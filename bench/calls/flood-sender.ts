import { fork } from 'node:child_process'
import { once } from 'node:events'
import { encodeSocketAddress } from '#media/socket/socket.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { sendFrom } from '../shared/raw-udp.ts'

/** Flood of unauthenticated requests. All its sources are on loopback, and so are the responses. */
export interface FloodOrder {
  target: { address: string; port: number }
  method: 'INVITE' | 'REGISTER'
  /** User part of the Request-URI. */
  user: string
  /** Source address in 127.0.0.0/8. Default: a new address of 127.16.0.0/12 per message. */
  source?: string
  perSecond: number
  seconds: number
  /** Sends credentials for a nonce that the service did not issue. */
  hasCredentials?: boolean
}

export interface FloodResult {
  sent: number
  seconds: number
}

const [maxPerSecond, maxSeconds] = [50_000, 120]

/** Sends from a separate process, which ends with the scope. */
export const startFlood = (scope: Scope, order: FloodOrder): Promise<FloodResult> => {
  if (order.perSecond > maxPerSecond || order.seconds > maxSeconds) throw new Error(`at most ${maxPerSecond}/s for ${maxSeconds} s`)
  const child = fork(import.meta.filename)
  scope.after(() => child.kill('SIGKILL'))
  child.send(order)
  return once(child, 'message').then(([result]) => result as FloodResult)
}

const sdp =
  'v=0\r\no=- 1 1 IN IP4 127.0.0.9\r\ns=-\r\nc=IN IP4 127.0.0.9\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8 101\r\na=rtpmap:101 telephone-event/8000\r\n'

const write = ({ target, method, user, hasCredentials = false }: FloodOrder, source: string, nth: number): string => {
  const server = `${target.address}:${target.port}`
  const body = method === 'INVITE' ? sdp : ''
  return [
    `${method} sip:${user}@${server} SIP/2.0`,
    `Via: SIP/2.0/UDP ${source}:5060;rport;branch=z9hG4bK${nth}f${process.pid}`,
    'Max-Forwards: 70',
    `From: <sip:+4930${nth}@${source}>;tag=${nth}`,
    `To: <sip:${user}@${server}>`,
    `Call-ID: ${nth}-${process.pid}@${source}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:flood@${source}:5060>`,
    ...(hasCredentials
      ? [`Authorization: Digest username="${nth}", realm="offhook", nonce="${'A'.repeat(43)}", response="${'0'.repeat(32)}"`]
      : []),
    'User-Agent: Bench',
    ...(method === 'INVITE' ? ['Content-Type: application/sdp'] : ['Expires: 600']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

const randomSource = (): string => {
  const bits = Math.floor(Math.random() * 2 ** 20)
  return `127.${16 + (bits >> 16)}.${(bits >> 8) & 255}.${bits & 255}`
}

const flood = async (order: FloodOrder): Promise<FloodResult> => {
  const to = encodeSocketAddress(order.target, false)
  const bytes = Buffer.alloc(2048)
  const startedAt = performance.now()
  const total = order.perSecond * order.seconds
  let sent = 0
  while (sent < total) {
    // A delayed sender catches up on at most a tenth of a second per batch.
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * order.perSecond), sent + order.perSecond / 10)
    for (; sent < due; sent++) {
      const source = order.source ?? randomSource()
      sendFrom(encodeSocketAddress({ address: source, port: 0 }, false), bytes, bytes.write(write(order, source, sent), 'latin1'), to)
    }
    if (performance.now() - startedAt > 2 * order.seconds * 1000) break
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return { sent, seconds: (performance.now() - startedAt) / 1000 }
}

if (process.send)
  process.once('message', (order: FloodOrder) => {
    void flood(order).then((result) => process.send?.(result, () => process.exit()))
  })
