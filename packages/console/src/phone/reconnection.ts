import type { PageFrame } from '@offhook/contract/v3/phone.ts'
import { isRunning, isWaiting, type PhoneCall } from '#api/phone/calls.ts'

export interface ReconnectionParts {
  calls: () => readonly PhoneCall[]
  /** What was offered for the sound of this call; undefined as long as nothing was. */
  offerOf: (callId: string) => string | undefined
  send: (frame: PageFrame) => unknown
  /** What was running is over. */
  lose: (calls: readonly PhoneCall[]) => void
  /** Gives how it is cancelled. */
  after: (ms: number, work: () => void) => () => void
}

/** As long as the service waits for a page whose connection broke. */
const awayMs = 10_000

/** The calls of this page while its connection is broken: their sound goes on, and the next connection goes on with them, if it comes in time. */
export class Reconnection {
  readonly #parts: ReconnectionParts
  #pageId: string | undefined
  #cancel: (() => void) | undefined

  constructor(parts: ReconnectionParts) {
    this.#parts = parts
  }

  /** The connection is there, as this page of the service. What was wanted while nobody heard it is said now. */
  came(pageId: string): void {
    const before = this.#pageId
    this.#pageId = pageId
    this.#stopWaiting()
    if (before === undefined) return
    const calls = this.#begun()
    this.#parts.send({ type: 'resume', pageId: before, callIds: calls.map(({ id }) => id) })
    for (const call of calls) this.#sayAgain(call)
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
    this.#parts.lose(this.#begun())
  }

  #stopWaiting(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
