import { authorizer } from '../digest/authorize.ts'
import type { Authorizer } from '../digest/authorize.ts'
import { respond } from '../message/build.ts'
import type { Body, HeaderLines } from '../message/build.ts'
import type { Dialog } from '../dialog/dialog.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import { formatSessionExpires, hasElement } from '../grammar/headers.ts'
import { leniently } from '../grammar/lenient.ts'
import type { Request, Response } from '../message/message.ts'
import { originOf } from '../transport/origin.ts'
import { Sending } from '../request/sending.ts'
import type { SendingEvents } from '../request/sending.ts'
import type { OfferReply, SessionEnd, SessionObserver, SessionState } from './session.ts'
import { allow, contactTowards, supported } from '../request/stack.ts'
import type { SessionStack } from './session-stack.ts'
import { nothing } from '../transaction/timers.ts'
import type { ServerTransaction } from '../transaction/transactions.ts'
import type { Flow } from '../transport/transport.ts'
import type { Confirmation } from './confirmation.ts'
import { agreedInterval, answerInterval, SessionTimer } from './session-timer.ts'

/** A final response, or what stands for one when there is none: 408, 503, 481. */
export interface Answer {
  status: number
  response: Response | undefined
}

export interface CoreStart {
  direction: 'incoming' | 'outgoing'
  callId: string
  localTag: string
  contactUser: string
  /** Everything goes this way. */
  pinned?: Flow | undefined
  digest?: DigestClient | undefined
}

export interface InDialog {
  headers?: HeaderLines | undefined
  body?: Body | undefined
  /** With our Contact: the request says where we are. */
  contact?: boolean
}

export interface ReplyParts {
  headers?: HeaderLines | undefined
  sdp?: string | undefined
  /** With our Contact, and what we can do. */
  contact?: boolean
}

/** How long BYE waits for what is to be said before it. */
const lastWordsMs = 2_000

export const sdpBody = (sdp: string | undefined): Body | undefined =>
  sdp === undefined ? undefined : { type: 'application/sdp', content: sdp }

export const reasonHeader = (reason: string | undefined): HeaderLines => (reason === undefined ? [] : [['Reason', reason]])

/** What the parts of a session share: its dialog, its observer, its end, and how things are sent inside of it. */
export class SessionCore {
  readonly stack: SessionStack
  readonly direction: 'incoming' | 'outgoing'
  readonly callId: string
  readonly localTag: string
  readonly contactUser: string
  readonly ended: Promise<SessionEnd>
  readonly timer: SessionTimer
  state: SessionState = 'calling'
  /** The one that counts; while a forked call rings, the latest. */
  dialog: Dialog | undefined
  /** All early ones and the confirmed one, by the far end's tag. */
  readonly dialogs = new Map<string, Dialog>()
  /** 2xx of ours that wait for their ACK, by the number of the INVITE. */
  readonly confirmations = new Map<number, Confirmation>()
  pinned: Flow | undefined
  peer: Flow | undefined
  origin: string | undefined
  /** The address that the INVITE went to: nobody else gets credentials. */
  inviteAddress: string | undefined
  peerAllowsUpdate = false
  peerAllowsRefer = false
  /** The first offer has its answer. */
  negotiated = false
  /** Our latest description, for refreshes. */
  localSdp: string | undefined
  /** The longest Min-SE that somebody asked for, in seconds. */
  minSe: number
  /** BYE waits for it: the ACK of the first INVITE has to be there (RFC 3261 §15). */
  established: Promise<unknown> = Promise.resolve()
  /** What is still to be said after the end. */
  farewell: Promise<unknown> = Promise.resolve()
  /** Nothing can be said in the dialog any more: our BYE is on its way, or theirs came. */
  left = false
  onRefresh: () => void = nothing
  readonly #digest: DigestClient | undefined
  readonly #atEnd = new Set<() => void>()
  #observer: SessionObserver = {}
  #lastWords: Promise<unknown> = Promise.resolve()
  #end: SessionEnd | undefined
  readonly #resolveEnd: (end: SessionEnd) => void

  constructor(stack: SessionStack, start: CoreStart) {
    this.stack = stack
    this.direction = start.direction
    this.callId = start.callId
    this.localTag = start.localTag
    this.contactUser = start.contactUser
    this.pinned = start.pinned
    this.#digest = start.digest
    this.minSe = stack.timer.min
    const { promise, resolve } = Promise.withResolvers<SessionEnd>()
    this.ended = promise
    this.#resolveEnd = resolve
    this.timer = new SessionTimer(stack.clock, {
      refresh: () => this.onRefresh(),
      expired: () => this.hangUp({ by: 'network', status: 408 }, reasonHeader('SIP;cause=408;text="Session timer expired"')),
    })
  }

  observe(observer: SessionObserver): void {
    this.#observer = observer
    const end = this.#end
    if (end) this.tell((told) => told.ended?.(end))
  }

  /** What the observer does wrong is not the far end's trouble. */
  tell<T>(run: (observer: SessionObserver) => T): T | undefined {
    try {
      return run(this.#observer)
    } catch (error) {
      this.stack.fault(error)
      return undefined
    }
  }

  async askFor(sdp: string | undefined, message: Request | Response): Promise<OfferReply> {
    try {
      return (await this.#observer.offered?.(sdp, message)) ?? { status: 488 }
    } catch (error) {
      this.stack.fault(error)
      return { status: 500 }
    }
  }

  /** Where the far end is, and what it says it can do. */
  note(message: Request | Response, from: Flow): void {
    this.#locate(message, from)
    if (message.header('allow') === undefined) return
    const allows = (method: string): boolean => leniently(() => hasElement(message.lines('allow'), method)) ?? false
    this.peerAllowsUpdate = allows('UPDATE')
    this.peerAllowsRefer = allows('REFER')
  }

  #locate(message: Request | Response, from: Flow): void {
    this.peer = from
    this.origin = originOf(message, from, this.stack.isProxy) ?? this.origin
  }

  /** A function, because the compiler would not believe that the state changes while something is waited for. */
  hasEnded(): boolean {
    return this.state === 'ended'
  }

  /** Runs when the session ends. Returns what takes it back. */
  atEnd(run: () => void): () => void {
    this.#atEnd.add(run)
    return () => void this.#atEnd.delete(run)
  }

  /** Resolves after that time, at the end of the session, or when something happened that makes waiting needless. */
  pause(ms: number, happened?: Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const over = (): void => {
      cancel()
      forget()
      resolve()
    }
    const cancel = this.stack.clock.after(ms, over)
    const forget = this.atEnd(over)
    void happened?.then(over)
    return promise
  }

  /** The first one counts. `farewell` is what is still being said to the far end. */
  finish(end: SessionEnd, farewell?: Promise<unknown>): void {
    if (this.state === 'ended') return
    this.state = 'ended'
    this.#end = end
    if (farewell) this.farewell = farewell
    else this.left = true
    this.timer.stop()
    for (const run of this.#atEnd) run()
    this.#atEnd.clear()
    this.#resolveEnd(end)
    this.tell((observer) => observer.ended?.(end))
  }

  hangUp(end: SessionEnd, headers: HeaderLines = []): void {
    if (this.state === 'ended') return
    this.finish(end, this.#sayBye(headers, this.dialog))
  }

  async #sayBye(headers: HeaderLines, dialog: Dialog | undefined): Promise<void> {
    await this.established
    await this.#lastWords
    this.left = true
    await this.send('BYE', { headers }, dialog)
  }

  /** How a transfer went is told before we hang up, unless the far end takes its time to hear it. */
  finishFirst(words: Promise<unknown>): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.stack.clock.after(lastWordsMs, resolve)
    void words.then(() => {
      cancel()
      resolve()
    })
    this.#lastWords = promise
  }

  /** The ACK of a 2xx of ours. */
  acknowledged(ack: Request): void {
    const { number } = ack.cseq
    this.confirmations.get(number)?.settle(ack)
    this.confirmations.delete(number)
  }

  /** Nobody will acknowledge anything any more. */
  stopConfirmations(): void {
    for (const confirmation of this.confirmations.values()) confirmation.settle(undefined)
    this.confirmations.clear()
  }

  /** A request inside the dialog, until its final response. */
  send(method: string, parts: InDialog, dialog: Dialog | undefined = this.dialog): Promise<Answer> {
    if (!dialog) return Promise.resolve({ status: 481, response: undefined })
    return new Promise((resolve) => {
      const events: SendingEvents = {
        response: (response, from) => {
          this.#locate(response, from)
          if (response.status >= 200) resolve({ status: response.status, response })
        },
        failed: (status) => resolve({ status, response: undefined }),
      }
      this.sending(method, parts, dialog, events).start()
    })
  }

  sending(method: string, parts: InDialog, dialog: Dialog, events: SendingEvents): Sending {
    const headers = parts.headers ?? []
    const request = { ...dialog.request(method), headers, body: parts.body, contactUser: parts.contact ? this.contactUser : undefined }
    const renumber = (): number => dialog.request(method).cseq
    const way = { hop: dialog.hop, flow: this.pinned, failover: false, authorizer: this.#authorizer(), renumber }
    return new Sending(this.stack, request, way, events)
  }

  /** Returns what was sent, for those who have to send it again. */
  reply(server: ServerTransaction, status: number, parts: ReplyParts = {}): Uint8Array {
    const headers: (readonly [string, string])[] = []
    if (parts.contact) {
      headers.push(['Contact', contactTowards(this.stack, server.flow, this.contactUser, server.request.uri.startsWith('sips:'))])
      headers.push(['Allow', allow], ['Supported', supported])
    }
    if (this.stack.product !== '') headers.push(['Server', this.stack.product])
    if (parts.headers) headers.push(...parts.headers)
    const reply = { toTag: this.localTag, headers, body: sdpBody(parts.sdp), source: server.flow }
    const bytes = respond(server.request, status, reply)
    server.respond(status, bytes)
    return bytes
  }

  /** What a request of ours asks for (RFC 4028 §7.1); who refreshes stays as it is. */
  timerWish(): HeaderLines {
    const { seconds, ours } = this.timer
    const refresher = seconds === undefined ? undefined : ours ? 'uac' : 'uas'
    const wish = Math.max(seconds ?? this.stack.timer.expires, this.minSe)
    return [
      ['Session-Expires', formatSessionExpires({ seconds: wish, refresher })],
      ['Min-SE', String(this.minSe)],
    ]
  }

  /** The far end's 2xx says what it is going to be. */
  timerAgreed(response: Response): void {
    const interval = agreedInterval(response)
    if (!this.hasEnded()) this.timer.restart(interval?.seconds, (interval?.refresher ?? 'uac') === 'uac')
  }

  /** For our 2xx to a request of theirs; it counts from now. */
  timerAnswer(request: Request): HeaderLines {
    const interval = answerInterval(request, this.stack.timer, this.timer.ours ? 'uas' : 'uac')
    this.timer.restart(interval?.seconds, interval?.refresher === 'uas')
    if (!interval) return []
    const headers: (readonly [string, string])[] = [['Session-Expires', formatSessionExpires(interval)]]
    if (interval.refresher === 'uac') headers.push(['Require', 'timer'])
    return headers
  }

  #authorizer(): Authorizer | undefined {
    return this.#digest && this.inviteAddress !== undefined ? authorizer(this.#digest, this.inviteAddress) : undefined
  }
}
