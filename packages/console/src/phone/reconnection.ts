import type { PageFrame } from '@offhook/contract/v3/phone.ts'
import { isRunning, isWaiting, type PhoneCall } from '#api/phone/calls.ts'

export interface ReconnectionParts {
  calls: () => readonly PhoneCall[]
  /** What was offered for the sound of this call; undefined as long as nothing was. */
  offerOf: (callId: string) => string | undefined
  /** To the service, if it is there. */
  send: (frame: PageFrame) => unknown
  /** What was running is over. */
  lose: (calls: readonly PhoneCall[]) => void
  /** Gives how it is cancelled. */
  after: (ms: number, work: () => void) => () => void
}

/** What somebody wants of a call, once; its state is told anew anyway. */
type Wish = Extract<PageFrame, { type: 'hangup' | 'dtmf' | 'transfer' | 'record' }>

const isWish = (frame: PageFrame): frame is Wish =>
  frame.type === 'hangup' || frame.type === 'dtmf' || frame.type === 'transfer' || frame.type === 'record'

/** As long as the service waits for a page whose connection broke. */
const awayMs = 10_000

/** The calls of this page while its connection is broken: their sound goes on, and the next connection goes on with them, if it comes in time. */
export class Reconnection {
  readonly #parts: ReconnectionParts
  #pageId: string | undefined
  /** Calls that were resumed, until the service speaks of them: by then it is known which of its processes has them. */
  readonly #resumed = new Set<string>()
  /** What the person wanted of calls meanwhile. */
  #wishes: Wish[] = []
  #cancel: (() => void) | undefined

  constructor(parts: ReconnectionParts) {
    this.#parts = parts
  }

  /** Says it when there is somebody to hear it. */
  say(frame: PageFrame): void {
    if (isWish(frame) && (this.#cancel || this.#resumed.has(frame.callId))) this.#wishes.push(frame)
    else this.#parts.send(frame)
  }

  /** The connection is there, as this page of the service. */
  came(pageId: string): void {
    const before = this.#pageId
    this.#pageId = pageId
    this.#stopWaiting()
    if (before === undefined) return
    const callIds = this.#begun().map(({ id }) => id)
    for (const id of callIds) this.#resumed.add(id)
    this.#wishes = this.#wishes.filter(({ callId }) => this.#resumed.has(callId))
    this.#parts.send({ type: 'resume', pageId: before, callIds })
  }

  /** The service speaks of a call: what was wanted of it while nobody heard it is said now. */
  heardOf(callId: string): void {
    if (!this.#resumed.delete(callId)) return
    const call = this.#parts.calls().find(({ id }) => id === callId)
    if (call) this.#sayAgain(call)
    const wishes = this.#wishes.filter((wish) => wish.callId === callId)
    this.#wishes = this.#wishes.filter((wish) => wish.callId !== callId)
    for (const wish of wishes) this.#parts.send(wish)
  }

  broke(): void {
    this.#cancel ??= this.#parts.after(awayMs, () => this.#lose())
  }

  /** No connection is wanted any more. */
  ended(): void {
    this.#pageId = undefined
    this.#stopWaiting()
    this.#lose()
  }

  #sayAgain({ id, incoming, phase, answeredAt, held }: PhoneCall): void {
    const sdp = this.#parts.offerOf(id)
    if (phase !== 'talking' || sdp === undefined) return
    if (answeredAt !== undefined) this.#parts.send({ type: 'hold', callId: id, value: held })
    else if (incoming) this.#parts.send({ type: 'accept', callId: id, sdp })
  }

  /** A call whose microphone is still being asked for has not begun, and waits for the next connection. */
  #begun(): PhoneCall[] {
    const { calls, offerOf } = this.#parts
    return calls().filter((call) => isRunning(call) && (isWaiting(call) || offerOf(call.id) !== undefined))
  }

  #lose(): void {
    this.#cancel = undefined
    this.#resumed.clear()
    this.#wishes = []
    this.#parts.lose(this.#begun())
  }

  #stopWaiting(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
