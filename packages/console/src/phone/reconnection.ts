import type { PageFrame } from '@offhook/contract/v3/phone.ts'
import { isRunning, isWaiting, type PhoneCall } from '#api/phone/calls.ts'

export interface ReconnectionDeps {
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
type Input = Extract<PageFrame, { type: 'hangup' | 'dtmf' | 'transfer' | 'record' }>

const isRequest = (frame: PageFrame): frame is Input =>
  frame.type === 'hangup' || frame.type === 'dtmf' || frame.type === 'transfer' || frame.type === 'record'

/** As long as the service waits for a page whose connection broke. */
const reconnectGraceMs = 10_000

/** The calls of this page while its connection is broken: their sound goes on, and the next connection goes on with them, if it comes in time. */
export class Reconnection {
  readonly #deps: ReconnectionDeps
  #pageId: string | undefined
  /** Calls that were resumed, until the service speaks of them: by then it is known which of its processes has them. */
  readonly #resumed = new Set<string>()
  /** What the person wanted of calls meanwhile. */
  #requests: Input[] = []
  #cancel: (() => void) | undefined

  constructor(deps: ReconnectionDeps) {
    this.#deps = deps
  }

  /** Says it when there is somebody to hear it. */
  say(frame: PageFrame): void {
    if (isRequest(frame) && (this.#cancel || this.#resumed.has(frame.callId))) this.#requests.push(frame)
    else this.#deps.send(frame)
  }

  /** The connection is there, as this page of the service. */
  came(pageId: string): void {
    const before = this.#pageId
    this.#pageId = pageId
    this.#stopWaiting()
    if (before === undefined) return
    const callIds = this.#started().map(({ id }) => id)
    for (const id of callIds) this.#resumed.add(id)
    this.#requests = this.#requests.filter(({ callId }) => this.#resumed.has(callId))
    this.#deps.send({ type: 'resume', pageId: before, callIds })
  }

  /** The service speaks of a call: what was wanted of it while nobody heard it is said now. */
  heardOf(callId: string): void {
    if (!this.#resumed.delete(callId)) return
    const call = this.#deps.calls().find(({ id }) => id === callId)
    if (call) this.#sayAgain(call)
    const inputs = this.#requests.filter((input) => input.callId === callId)
    this.#requests = this.#requests.filter((input) => input.callId !== callId)
    for (const input of inputs) this.#deps.send(input)
  }

  broke(): void {
    this.#cancel ??= this.#deps.after(reconnectGraceMs, () => this.#lose())
  }

  /** No connection is wanted any more. */
  ended(): void {
    this.#pageId = undefined
    this.#stopWaiting()
    this.#lose()
  }

  #sayAgain({ id, incoming, phase, answeredAt, held }: PhoneCall): void {
    const sdp = this.#deps.offerOf(id)
    if (phase !== 'talking' || sdp === undefined) return
    if (answeredAt !== undefined) this.#deps.send({ type: 'hold', callId: id, value: held })
    else if (incoming) this.#deps.send({ type: 'accept', callId: id, sdp })
  }

  /** A call whose microphone is still being asked for has not begun, and waits for the next connection. */
  #started(): PhoneCall[] {
    const { calls, offerOf } = this.#deps
    return calls().filter((call) => isRunning(call) && (isWaiting(call) || offerOf(call.id) !== undefined))
  }

  #lose(): void {
    this.#cancel = undefined
    this.#resumed.clear()
    this.#requests = []
    this.#deps.lose(this.#started())
  }

  #stopWaiting(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
