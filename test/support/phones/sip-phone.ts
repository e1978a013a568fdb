import { realClock } from '#adapters/clock/clocks.ts'
import { Transports } from '#adapters/telephony/transport/transports.ts'
import { DigestClient } from '@offhook/sip/digest/digest-client.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { InviteDraft, OfferReply, Progress, Session, SessionEnd, SessionObserver } from '@offhook/sip/session/session.ts'
import { parseUri } from '@offhook/sip/grammar/uri.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { IncomingInvite } from '@offhook/sip/user-agent/user-agent-options.ts'
import type { Request, Response } from '@offhook/sip/message/message.ts'
import { dtmfPayloadType, RtpPhone } from './rtp-phone.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import type { Flow, Transport } from '@offhook/sip/transport/transport.ts'
import { WebSocketLine } from './web-socket-line.ts'

/** Queue of arrivals, awaited in order. */
class Arrivals<T> {
  readonly #there: T[] = []
  readonly #waiting: ((value: T) => void)[] = []

  /** Arrived, and not yet taken. */
  get size(): number {
    return this.#there.length
  }

  put(value: T): void {
    const waiting = this.#waiting.shift()
    if (waiting) waiting(value)
    else this.#there.push(value)
  }

  next(): Promise<T> {
    const there = this.#there.shift()
    return there === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(there)
  }
}

/** One call as the phone sees it. */
export class PhoneCall {
  readonly progress = new Arrivals<Progress>()
  readonly answered: Promise<Response>
  readonly ended: Promise<SessionEnd>
  readonly offers = new Arrivals<string | undefined>()
  session!: Session
  readonly #phone: SipPhone
  #answer: (response: Response) => void = () => {}
  #end: (end: SessionEnd) => void = () => {}

  constructor(phone: SipPhone) {
    this.#phone = phone
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    this.answered = new Promise((resolve, reject) => {
      this.#answer = resolve
      void this.ended.then((end) => reject(new Error(`the call ended before it was answered: ${JSON.stringify(end)}`)))
    })
    this.answered.catch(() => {}) // many tests only wait for the end
  }

  readonly observer: SessionObserver = {
    progress: (progress) => {
      if (progress.sdp !== undefined) this.#phone.talkTo(progress.sdp)
      this.progress.put(progress)
    },
    answered: (sdp, response) => {
      if (sdp !== undefined) this.#phone.talkTo(sdp)
      this.#answer(response)
    },
    offered: (sdp) => this.#reply(sdp),
    acknowledged: (sdp) => this.#phone.talkTo(sdp),
    ended: (end) => this.#end(end),
  }

  #reply(offer: string | undefined): OfferReply {
    this.offers.put(offer)
    if (offer === undefined) return { sdp: this.#phone.sdp() }
    const [audio] = parseSdp(offer).media
    if (audio?.connection) this.#phone.rtp.turnTo({ address: audio.connection.address, port: audio.port })
    const direction = audio?.direction
    return { sdp: this.#phone.sdp(direction === 'sendonly' ? 'recvonly' : 'sendrecv') }
  }
}

export interface SipPhoneOptions {
  address?: string
  /** host:port of the service; for a WebSocket its URL. */
  server: string
  user?: string
  password?: string
  /** Default UDP. */
  transport?: 'udp' | 'tcp' | 'tls' | 'ws'
  /** TLS: CA to verify the server certificate for `localhost`. */
  ca?: string
  /** Domain of the addresses that it writes; default `server`. */
  domain?: string
}

/** Sockets of a phone. */
interface Line extends Transport {
  port(kind: 'udp'): number | undefined
  close(): Promise<void>
}

const openLine = async (options: SipPhoneOptions, phone: { receive: (message: Uint8Array, from: Flow) => void }): Promise<Line> => {
  if (options.transport === 'ws') return WebSocketLine.open(options.server, phone.receive)
  return Transports.open({
    clock: realClock(),
    listen: { host: options.address ?? '127.0.0.1', port: 0 },
    trustedAuthorities: options.ca,
    onMessage: phone.receive,
    onClosed: () => {},
  })
}

/** Test telephone: signalling by the project's user agent, audio by a bare socket. */
export class SipPhone {
  readonly rtp: RtpPhone
  readonly invites = new Arrivals<IncomingInvite>()
  readonly requests: Request[] = []
  readonly #options: SipPhoneOptions
  readonly #line: Line
  readonly #agent: UserAgent
  readonly #digest: DigestClient | undefined
  #answer = 200
  #refusal: number | undefined

  private constructor(options: SipPhoneOptions, line: Line, rtp: RtpPhone) {
    const { user = 'phone', password, transport: kind = 'udp' } = options
    this.#options = options
    this.#line = line
    this.rtp = rtp
    this.#digest = password === undefined ? undefined : new DigestClient({ username: user, password })
    this.#agent = new UserAgent({
      clock: realClock(),
      transport: line,
      product: 'Test phone',
      methods: ['OPTIONS', 'MESSAGE', 'NOTIFY'],
      resolve: async (uri) => [
        kind === 'udp' ? { kind, address: uri.host, port: uri.port ?? 5060 } : { kind, ...serverOf(options), serverName: 'localhost' },
      ],
      onInvite: (invite) => (this.#refusal === undefined ? this.invites.put(invite) : invite.session.reject(this.#refusal)),
      onRequest: (incoming) => {
        this.requests.push(incoming.request)
        incoming.respond(this.#answer)
      },
    })
  }

  static async open(t: Scope, options: SipPhoneOptions): Promise<SipPhone> {
    let phone: SipPhone | undefined
    const line = await openLine(options, { receive: (message, from) => phone?.receive(message, from) })
    const opened = new SipPhone(options, line, await RtpPhone.open({ address: options.address ?? '127.0.0.1' }))
    phone = opened
    t.after(() => opened.close())
    return opened
  }

  receive(...args: Parameters<UserAgent['receive']>): void {
    this.#agent.receive(...args)
  }

  get address(): string {
    return `${this.#options.address ?? '127.0.0.1'}:${this.#line.port('udp')}`
  }

  get user(): string {
    return this.#options.user ?? 'phone'
  }

  /** Answers requests outside of calls with this status from now on. */
  refuse(status: number): void {
    this.#answer = status
  }

  /** Rejects calls with this status from now on; undefined: accepts them. */
  refuseCalls(status: number | undefined): void {
    this.#refusal = status
  }

  sdp(direction = 'sendrecv', lines: readonly string[] = []): string {
    const address = this.#options.address ?? '127.0.0.1'
    return [
      'v=0',
      `o=- 1 1 IN IP4 ${address}`,
      's=-',
      `c=IN IP4 ${address}`,
      't=0 0',
      `m=audio ${this.rtp.port} RTP/AVP 8 ${dtmfPayloadType}`,
      `a=rtpmap:${dtmfPayloadType} telephone-event/8000`,
      `a=${direction}`,
      ...lines,
      '',
    ].join('\r\n')
  }

  /** Sends audio to the address in this SDP from now on. */
  talkTo(sdp: string): void {
    const [audio] = parseSdp(sdp).media
    if (audio?.connection) this.rtp.talk({ address: audio.connection.address, port: audio.port }, this.rtp.tone)
  }

  register(): Promise<Response> {
    const headers = [['Expires', '600']] as const
    const address = `sip:${this.user}@${this.domain}`
    return this.request('REGISTER', `sip:${this.domain}`, { from: `<${address}>`, to: `<${address}>`, headers })
  }

  get domain(): string {
    return this.#options.domain ?? this.#options.server
  }

  request(method: string, uri: string, more: Partial<Parameters<UserAgent['request']>[0]> = {}): Promise<Response> {
    const from = `<sip:${this.user}@${this.domain}>`
    return this.#agent.request({ method, uri, from, contactUser: this.user, digest: this.#digest, ...more })
  }

  call(dialled: string, draft: Partial<InviteDraft> = {}): PhoneCall {
    const call = new PhoneCall(this)
    const sdp = 'sdp' in draft ? draft.sdp : this.sdp()
    const from = `<sip:${this.user}@${this.domain}>`
    call.session = this.#agent.invite({ uri: `sip:${dialled}@${this.domain}`, from, digest: this.#digest, ...draft, sdp }, call.observer)
    return call
  }

  /** Next incoming call, not yet answered. */
  async incoming(): Promise<{ call: PhoneCall; invite: IncomingInvite }> {
    const invite = await this.invites.next()
    const call = new PhoneCall(this)
    call.session = invite.session
    invite.session.observe(call.observer)
    return { call, invite }
  }

  async accept({ call, invite }: { call: PhoneCall; invite: IncomingInvite }): Promise<void> {
    if (invite.sdp !== undefined) this.talkTo(invite.sdp)
    await call.session.accept({ sdp: this.sdp() })
  }

  async close(): Promise<void> {
    await this.#agent.close(AbortSignal.timeout(1000))
    await this.#line.close()
    await this.rtp.close()
  }
}

const serverOf = ({ server }: SipPhoneOptions): { address: string; port: number } => {
  const { hostname, port } = new URL(server.includes('://') ? server : `ws://${server}`)
  return { address: hostname, port: Number(port) }
}

export const userIn = (uri: string): string | undefined => parseUri(uri).user
