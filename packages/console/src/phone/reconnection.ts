import type { PageFrame } from '@offhook/contract/v3/phone.ts'
import { isRunning, isWaiting, type PhoneCall } from '#api/phone/calls.ts'

interface ReconnectionDeps {
  calls: () => readonly PhoneCall[]
  /** The SDP offer of this call; undefined before it exists. */
  offerOf: (callId: string) => string | undefined
  /** Sends to the service, if connected. */
  send: (frame: PageFrame) => unknown
  /** The running calls are lost. */
  lose: (calls: readonly PhoneCall[]) => void
  /** Returns a function that cancels it. */
  after: (ms: number, work: () => void) => () => void
}

/** One-shot call commands to replay; state is resynchronised. */
type Input = Extract<PageFrame, { type: 'hangup' | 'dtmf' | 'transfer' | 'record' }>

const isRequest = (frame: PageFrame): frame is Input =>
  frame.type === 'hangup' || frame.type === 'dtmf' || frame.type === 'transfer' || frame.type === 'record'

/** Milliseconds that the service waits for a page to reconnect. */
const reconnectGraceMs = 10_000

/** The calls of this page while disconnected: their audio continues, and the next connection resumes them, if it comes in time. */
export class Reconnection {
  readonly #deps: ReconnectionDeps
  #pageId: string | undefined
  /** Resumed calls until the service reports them: by then it is known which of its processes owns them. */
  readonly #resumed = new Set<string>()
  /** Commands queued while disconnected. */
  #requests: Input[] = []
  #cancel: (() => void) | undefined

  constructor(deps: ReconnectionDeps) {
    this.#deps = deps
  }

  /** Sends now, or queues while disconnected. */
  say(frame: PageFrame): void {
    if (isRequest(frame) && (this.#cancel || this.#resumed.has(frame.callId))) this.#requests.push(frame)
    else this.#deps.send(frame)
  }

  /** The connection is open, with this page id. */
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

  /** The service reported a call: sends its queued commands. */
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

  /** No connection is wanted. */
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

  /** A call still waiting for the microphone has not started, and waits for the next connection. */
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
