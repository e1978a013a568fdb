import { createSocket, type Socket } from 'node:dgram'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { percentile } from '../shared/percentiles.ts'
import type { Quiet } from './office.ts'

/** Source address of the trunk. */
export const carrier = '127.0.0.2'
/** Source address of the quiet account: connections are limited by address, and the noisy account has its own. */
const office = '127.0.0.3'
/** Value in milliseconds for requests that are not answered by then. */
const abandonMs = 32_000
const requestsPerSecond = 40
const invitesPerSecond = 20
/** As many connections as a browser opens. */
const connections = 6

export interface Figures {
  count: number
  p50: number
  p95: number
  p99: number
  max: number
}

export const figuresOf = (times: readonly number[]): Figures => ({
  count: times.length,
  p50: percentile(times, 0.5),
  p95: percentile(times, 0.95),
  p99: percentile(times, 0.99),
  max: percentile(times, 1),
})

/** Sends at a constant rate without waiting for responses: a closed loop would measure least when most requests wait. */
const evenly = async (perSecond: number, ms: number, send: (nth: number) => Promise<void>): Promise<void> => {
  const startedAt = performance.now()
  const open: Promise<void>[] = []
  for (let nth = 0; (nth * 1000) / perSecond < ms; nth++) {
    await pause(Math.max(0, startedAt + (nth * 1000) / perSecond - performance.now()))
    open.push(send(nth))
  }
  await Promise.all(open)
}

const asked = [
  { method: 'GET', path: '/v1/account' },
  { method: 'GET', path: '/v1/contacts?limit=20' },
  { method: 'GET', path: '/v2/history' },
  { method: 'PUT', path: '/v1/app/welcome', body: '{"enabled":true}' },
] as const

export interface Requests {
  /** Milliseconds per request, by kind. */
  times: Record<string, number[]>
  /** Requests answered with an error or not at all. */
  failed: number
}

/** Requests of the quiet account. */
export const measureRequests = async (http: string, { token }: Quiet, ms: number): Promise<Requests> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: Record<string, number[]> = {}
  let failed = 0
  const send = async (nth: number): Promise<void> => {
    const { method, path, ...more } = asked[nth % asked.length] ?? asked[0]
    const headers = { authorization: `Bearer ${token}`, ...('body' in more && { 'content-type': 'application/json' }) }
    const startedAt = performance.now()
    const status = await new Promise<number>((resolve) => {
      const sent = request(http + path, { method, agent, headers, localAddress: office }, (reply) => {
        reply.resume().on('end', () => resolve(reply.statusCode ?? 0))
      })
      sent.on('error', () => resolve(0)).end('body' in more ? more.body : undefined)
    })
    if (status !== 200 && status !== 204) failed += 1
    ;(times[`${method} ${path}`] ??= []).push(performance.now() - startedAt)
  }
  await evenly(requestsPerSecond, ms, send)
  agent.destroy()
  return { times, failed }
}

/** Milliseconds from each INVITE to its first response: 100 unless a final one comes sooner (RFC 3261 §17.2.1). */
export const measureInvites = async (scope: Scope, sip: string, { number }: Quiet, ms: number): Promise<number[]> => {
  const [host = '', port = ''] = sip.split(':')
  const socket = await openSocket(scope)
  const local = `${carrier}:${socket.address().port}`
  const waiting = new Map<string, () => void>()
  const times: number[] = []
  const send = (text: string): void => socket.send(text.replaceAll('\n', '\r\n'), Number(port), host)
  socket.on('message', (bytes) => {
    const response = bytes.toString()
    const branch = /branch=(z9hG4bK[\w-]+)/.exec(response)?.[1] ?? ''
    waiting.get(branch)?.()
    const status = Number(response.slice(8, 11))
    if (status >= 200 && /^CSeq: 1 INVITE/im.test(response)) send(acknowledge(response, branch, local, number))
  })
  const run = `${process.pid}${Math.round(performance.now())}`
  await evenly(invitesPerSecond, ms, async (nth) => {
    const branch = `z9hG4bK-${run}-${nth}`
    const startedAt = performance.now()
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, abandonMs)
    waiting.set(branch, resolve)
    send(invite(branch, `${run}-${nth}`, local, number))
    await answered
    clearTimeout(timer)
    waiting.delete(branch)
    times.push(performance.now() - startedAt)
  })
  socket.close()
  return times
}

const openSocket = async (scope: Scope): Promise<Socket> => {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, carrier, resolve))
  let closed = false
  socket.once('close', () => (closed = true))
  scope.after(() => closed || socket.close())
  return socket
}

const offer = (local: string): string =>
  `v=0\no=- 1 1 IN IP4 ${carrier}\ns=-\nc=IN IP4 ${carrier}\nt=0 0\nm=audio ${local.split(':')[1]} RTP/AVP 8 101\na=rtpmap:101 telephone-event/8000\n`

const invite = (branch: string, callId: string, local: string, number: string): string => {
  const body = offer(local)
  return `INVITE sip:${number}@offhook SIP/2.0
Via: SIP/2.0/UDP ${local};branch=${branch};rport
Max-Forwards: 70
From: <sip:+4930111111@${local}>;tag=${callId}
To: <sip:${number}@offhook>
Call-ID: ${callId}@bench
CSeq: 1 INVITE
Contact: <sip:carrier@${local}>
Content-Type: application/sdp
Content-Length: ${body.length + body.split('\n').length - 1}

${body}`
}

const acknowledge = (response: string, branch: string, local: string, number: string): string => `ACK sip:${number}@offhook SIP/2.0
Via: SIP/2.0/UDP ${local};branch=${branch};rport
Max-Forwards: 70
${/^From: .*$/im.exec(response)?.[0].trim()}
${/^To: .*$/im.exec(response)?.[0].trim()}
${/^Call-ID: .*$/im.exec(response)?.[0].trim()}
CSeq: 1 ACK
Content-Length: 0

`
