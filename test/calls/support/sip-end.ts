import { createSocket, type Socket } from 'node:dgram'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { SipCall } from './sip-call.ts'
import { authorization, branchOf, header, readSip, token, uriOf, userOf, writeSip } from './sip-text.ts'
import type { Draft, Login, SipText, SipWire } from './sip-text.ts'

export interface SipEndOptions {
  address?: string
  /** host:port of the service. */
  server: string
  user: string
  password?: string
}

interface Asked {
  draft: Draft
  text: string
  timer: NodeJS.Timeout | undefined
  ack: string | undefined
  proved: boolean
  answer: (response: SipText) => void
}

const retryMs = 500

/** Signalling of a plain telephone or carrier: one UDP socket, any number of calls. Independent of the service's SIP stack. */
export class SipEnd implements SipWire {
  /** Incoming call for this user. */
  onCall: (call: SipCall, dialled: string) => void = (call) => call.refuse(404)
  readonly user: string
  readonly server: string
  readonly #options: SipEndOptions
  readonly #socket: Socket
  readonly #calls = new Map<string, SipCall>()
  /** Pending requests by branch. */
  readonly #asked = new Map<string, Asked>()
  /** Responses sent, for retransmitted requests. */
  readonly #replies = new Map<string, string>()

  private constructor(options: SipEndOptions, socket: Socket) {
    this.#options = options
    this.#socket = socket
    this.user = options.user
    this.server = options.server
    socket.on('message', (bytes) => this.#received(readSip(bytes.toString())))
  }

  static async open(scope: Scope, options: SipEndOptions): Promise<SipEnd> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.bind(0, options.address ?? '127.0.0.1', resolve)
    })
    const end = new SipEnd(options, socket)
    scope.after(() => end.#close())
    return end
  }

  get address(): string {
    const { address, port } = this.#socket.address()
    return `${address}:${port}`
  }

  get contact(): string {
    return `<sip:${this.user}@${this.address}>`
  }

  async register(): Promise<void> {
    const self = `<sip:${this.user}@${this.server}>`
    const headers = [['Expires', '3600']] as const
    const uri = `sip:${this.server}`
    const draft = { method: 'REGISTER', uri, from: `${self};tag=${token()}`, to: self, callId: token(), cseq: 1, headers }
    const { status, start } = await this.ask(draft)
    if (status !== 200) throw new Error(`${this.user} could not register: ${start}`)
  }

  /** `as`: user in the From header. */
  call(dialled: string, sdp: string, as = this.user): SipCall {
    const call = new SipCall(this, { local: `<sip:${as}@${this.server}>`, remote: `<sip:${dialled}@${this.server}>` })
    this.#calls.set(call.id, call)
    call.invite(`sip:${dialled}@${this.server}`, sdp)
    return call
  }

  ask(draft: Draft, provisional: (response: SipText) => void = () => {}, proof?: string): Promise<SipText> {
    return new Promise((resolve) => {
      const branch = `z9hG4bK${token()}`
      const text = this.#write(draft, branch, proof)
      const answer = (response: SipText): void => {
        if (response.status < 200) return provisional(response)
        const proved = this.#prove(draft, response)
        if (proved === undefined || proof !== undefined) resolve(response)
        else void this.ask({ ...draft, cseq: draft.cseq + 1 }, provisional, proved).then(resolve)
      }
      const timer = setInterval(() => this.send(text), retryMs)
      this.#asked.set(branch, { draft, text, timer, ack: undefined, proved: proof !== undefined, answer })
      this.send(text)
    })
  }

  cancel(callId: string): void {
    const found = [...this.#asked].find(([, { draft, timer }]) => draft.callId === callId && draft.method === 'INVITE' && timer)
    if (!found) return
    const [branch, { draft }] = found
    this.send(this.#write({ ...draft, method: 'CANCEL', body: '' }, branch))
  }

  acknowledge(response: SipText, draft: Draft): void {
    const text = this.#write({ ...draft, method: 'ACK' }, `z9hG4bK${token()}`)
    const asked = this.#asked.get(branchOf(header(response, 'via')))
    if (asked) asked.ack = text
    this.send(text)
  }

  reply(request: SipText, status: number, { tag, body }: { tag?: string; body?: string } = {}): void {
    const to = header(request, 'to')
    const kept = request.headers.filter(([name]) => ['via', 'from', 'call-id', 'cseq'].includes(name))
    const headers = [
      ...kept,
      ['To', tag === undefined || to.includes(';tag=') ? to : `${to};tag=${tag}`],
      ['Contact', this.contact],
    ] as const
    const text = writeSip(`SIP/2.0 ${status} ${status < 300 ? 'Fine' : 'No'}`, headers, body)
    this.#replies.set(keyOf(request), text)
    this.send(text)
  }

  send(text: string): void {
    const [host = '', port = ''] = this.server.split(':')
    this.#socket.send(text, Number(port), host, () => {})
  }

  #prove({ method, uri }: Draft, response: SipText): string | undefined {
    const { user, password } = this.#options
    if (![401, 407].includes(response.status) || password === undefined) return undefined
    const login: Login = { user, password }
    const [name, challenge] =
      response.status === 401 ? ['Authorization', 'www-authenticate'] : ['Proxy-Authorization', 'proxy-authenticate']
    return `${name}: ${authorization(header(response, challenge), login, method, uri)}`
  }

  #write({ method, uri, from, to, callId, cseq, headers = [], body }: Draft, branch: string, proof?: string): string {
    const [name, ...value] = (proof ?? '').split(': ')
    const lines = [
      ['Via', `SIP/2.0/UDP ${this.address};branch=${branch}`],
      ['Max-Forwards', '70'],
      ['From', from],
      ['To', to],
      ['Call-ID', callId],
      ['CSeq', `${cseq} ${method}`],
      ['Contact', this.contact],
      ['Allow', 'INVITE, ACK, BYE, CANCEL, OPTIONS, INFO'],
      ...headers,
    ] as const
    return writeSip(`${method} ${uri} SIP/2.0`, proof === undefined ? lines : [...lines, [name ?? '', value.join(': ')] as const], body)
  }

  #received(message: SipText): void {
    if (message.status > 0) return this.#answered(message)
    const again = this.#replies.get(keyOf(message))
    if (again !== undefined && message.method !== 'ACK') return this.send(again)
    const call = this.#calls.get(header(message, 'call-id'))
    if (call) return call.receive(message)
    if (message.method === 'INVITE') this.#called(message)
    else if (message.method !== 'ACK') this.reply(message, message.method === 'OPTIONS' ? 200 : 481)
  }

  #called(invite: SipText): void {
    const call = new SipCall(this, { local: header(invite, 'to'), remote: header(invite, 'from'), invite })
    this.#calls.set(call.id, call)
    this.onCall(call, userOf(uriOf(invite.start.split(' ')[1] ?? '')))
  }

  #answered(response: SipText): void {
    const branch = branchOf(header(response, 'via'))
    const asked = this.#asked.get(branch)
    if (!asked || response.method !== asked.draft.method) return
    const invite = asked.draft.method === 'INVITE'
    if (response.status >= 200 || invite) clearInterval(asked.timer)
    if (asked.ack !== undefined) return this.send(asked.ack)
    if (response.status >= 200) asked.timer = undefined
    if (response.status >= 300 && invite) {
      asked.ack = this.#write({ ...asked.draft, method: 'ACK', to: header(response, 'to'), body: '' }, branch)
      this.send(asked.ack)
    }
    asked.answer(response)
  }

  async #close(): Promise<void> {
    for (const { timer } of this.#asked.values()) clearInterval(timer)
    for (const call of this.#calls.values()) call.forget()
    await new Promise<void>((resolve) => this.#socket.close(resolve))
  }
}

const keyOf = (request: SipText): string => `${header(request, 'call-id')} ${header(request, 'cseq')} ${branchOf(header(request, 'via'))}`
