import { realClock } from '#adapters/clock/real-clock.ts'
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

/** Things that come one after the other and are waited for in that order. */
class Arrivals<T> {
  readonly #there: T[] = []
  readonly #waiting: ((value: T) => void)[] = []

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
    this.answered = new Promise((resolve) => {
      this.#answer = resolve
    })
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
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
  /** host:port of the service. */
  server: string
  user?: string
  password?: string
}

/** A telephone of our own make: signalling by our user agent, audio by a bare socket. */
export class SipPhone {
  readonly rtp: RtpPhone
  readonly invites = new Arrivals<IncomingInvite>()
  readonly requests: Request[] = []
  readonly #options: SipPhoneOptions
  readonly #transports: Transports
  readonly #agent: UserAgent
  readonly #digest: DigestClient | undefined
  #answer = 200

  private constructor(options: SipPhoneOptions, transports: Transports, rtp: RtpPhone) {
    const { user = 'phone', password } = options
    this.#options = options
    this.#transports = transports
    this.rtp = rtp
    this.#digest = password === undefined ? undefined : new DigestClient({ username: user, password })
    this.#agent = new UserAgent({
      clock: realClock(),
      transport: transports,
      product: 'Test phone',
      methods: ['OPTIONS', 'MESSAGE'],
      resolve: async (uri) => [{ kind: 'udp', address: uri.host, port: uri.port ?? 5060 }],
      onInvite: (invite) => this.invites.put(invite),
      onRequest: (incoming) => {
        this.requests.push(incoming.request)
        incoming.respond(this.#answer)
      },
    })
  }

  static async open(t: Scope, options: SipPhoneOptions): Promise<SipPhone> {
    let phone: SipPhone | undefined
    const host = options.address ?? '127.0.0.1'
    const transports = await Transports.open({
      clock: realClock(),
      listen: { host, port: 0 },
      onMessage: (message, from) => phone?.receive(message, from),
      onClosed: () => {},
    })
    const opened = new SipPhone(options, transports, await RtpPhone.open({ address: host }))
    phone = opened
    t.after(() => opened.close())
    return opened
  }

  receive(...args: Parameters<UserAgent['receive']>): void {
    this.#agent.receive(...args)
  }

  get address(): string {
    return `${this.#options.address ?? '127.0.0.1'}:${this.#transports.port('udp')}`
  }

  get user(): string {
    return this.#options.user ?? 'phone'
  }

  /** From now on requests outside of calls get this answer. */
  refuse(status: number): void {
    this.#answer = status
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

  /** From now on its audio goes where this description says. */
  talkTo(sdp: string): void {
    const [audio] = parseSdp(sdp).media
    if (audio?.connection) this.rtp.talk({ address: audio.connection.address, port: audio.port })
  }

  register(): Promise<Response> {
    const { server } = this.#options
    const headers = [['Expires', '600']] as const
    const address = `sip:${this.user}@${server}`
    return this.request('REGISTER', `sip:${server}`, { from: `<${address}>`, to: `<${address}>`, headers })
  }

  request(method: string, uri: string, more: Partial<Parameters<UserAgent['request']>[0]> = {}): Promise<Response> {
    const from = `<sip:${this.user}@${this.#options.server}>`
    return this.#agent.request({ method, uri, from, contactUser: this.user, digest: this.#digest, ...more })
  }

  call(dialled: string, draft: Partial<InviteDraft> = {}): PhoneCall {
    const { server } = this.#options
    const call = new PhoneCall(this)
    const sdp = 'sdp' in draft ? draft.sdp : this.sdp()
    const from = `<sip:${this.user}@${server}>`
    call.session = this.#agent.invite({ uri: `sip:${dialled}@${server}`, from, digest: this.#digest, ...draft, sdp }, call.observer)
    return call
  }

  /** The next call that comes in, not answered yet. */
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
    await this.#transports.close()
    await this.rtp.close()
  }
}

export const userIn = (uri: string): string | undefined => parseUri(uri).user
