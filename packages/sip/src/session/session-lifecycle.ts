import type { Dialog } from '../dialog/dialog.ts'
import type { HeaderLines } from '../message/build.ts'
import type { SipClock } from '../transport/transport.ts'
import type { DialogMessages } from './dialog-messages.ts'
import type { SessionEnd, SessionState, OfferReply, SessionObserver } from './session.ts'
import type { Request, Response } from '../message/message.ts'

/** Milliseconds that BYE waits for the last NOTIFY of a transfer. */
const lastWordsMs = 2_000

interface Unanswered {
  readonly state: 'calling' | 'early'
  /** Incoming: from the start. Outgoing: the branch that rang last. */
  readonly dialog: Dialog | undefined
}

interface Confirmed {
  readonly state: 'confirmed'
  readonly dialog: Dialog
  /** Resolves when the ACK of the INVITE arrived or never will: BYE waits for it (RFC 3261 §15). */
  readonly acknowledged: Promise<unknown>
}

interface Ended {
  readonly state: 'ended'
  readonly dialog: Dialog | undefined
  readonly end: SessionEnd
  /** The pending BYE or CANCEL. */
  readonly farewell: Promise<unknown>
  /** No more requests are allowed in the dialog: our BYE was sent, or theirs received. */
  readonly left: boolean
}

type Phase = Unanswered | Confirmed | Ended

/** Phase of a session from the INVITE to the end, and its transitions. */
export class SessionLifecycle {
  readonly ended: Promise<SessionEnd>
  readonly #resolveEnd: (end: SessionEnd) => void
  readonly #clock: SipClock
  readonly #observer: GuardedObserver
  readonly #messages: DialogMessages
  readonly #atEnd = new Set<() => void>()
  #phase: Phase
  #lastWords: Promise<unknown> = Promise.resolve()

  constructor(clock: SipClock, observer: GuardedObserver, messages: DialogMessages, dialog: Dialog | undefined) {
    this.#clock = clock
    this.#observer = observer
    this.#messages = messages
    this.#phase = { state: 'calling', dialog }
    const { promise, resolve } = Promise.withResolvers<SessionEnd>()
    this.ended = promise
    this.#resolveEnd = resolve
  }

  get state(): SessionState {
    return this.#phase.state
  }

  /** The confirmed dialog; while a forked call rings, the latest one. */
  get dialog(): Dialog | undefined {
    return this.#phase.dialog
  }

  get end(): SessionEnd | undefined {
    return this.#phase.state === 'ended' ? this.#phase.end : undefined
  }

  /** Resolves when the ACK of the first INVITE arrived; immediately if none is expected. */
  get acknowledged(): Promise<unknown> {
    return this.#phase.state === 'confirmed' ? this.#phase.acknowledged : Promise.resolve()
  }

  /** Resolves when the BYE or CANCEL after the end is complete. */
  get farewell(): Promise<unknown> {
    return this.#phase.state === 'ended' ? this.#phase.farewell : Promise.resolve()
  }

  /** No more requests are allowed in the dialog. */
  get left(): boolean {
    return this.#phase.state === 'ended' && this.#phase.left
  }

  /** A function, because TypeScript would keep a property narrowed across an await. */
  hasEnded(): boolean {
    return this.#phase.state === 'ended'
  }

  /** A provisional response other than 100, ours or theirs. */
  ring(dialog: Dialog | undefined = this.#phase.dialog): void {
    if (this.#phase.state === 'calling' || this.#phase.state === 'early') this.#phase = { state: 'early', dialog }
  }

  /** A 2xx, ours or theirs. */
  confirm(dialog: Dialog, acknowledged: Promise<unknown>): void {
    if (!this.hasEnded()) this.#phase = { state: 'confirmed', dialog, acknowledged }
  }

  /** The first end counts. `farewell`: the pending BYE or CANCEL; without it the dialog is left immediately. */
  finish(end: SessionEnd, farewell?: Promise<unknown>): void {
    if (this.hasEnded()) return
    this.#phase = {
      state: 'ended',
      dialog: this.#phase.dialog,
      end,
      farewell: farewell ?? Promise.resolve(),
      left: farewell === undefined,
    }
    for (const run of this.#atEnd) run()
    this.#atEnd.clear()
    this.#resolveEnd(end)
    this.#observer.notify((observer) => observer.ended?.(end))
    this.#observer.leave()
  }

  hangUp(end: SessionEnd, headers: HeaderLines = []): void {
    if (!this.hasEnded()) this.finish(end, this.#sayBye(headers, this.dialog, this.acknowledged))
  }

  async #sayBye(headers: HeaderLines, dialog: Dialog | undefined, acknowledged: Promise<unknown>): Promise<void> {
    await acknowledged
    await this.#lastWords
    if (this.#phase.state === 'ended') this.#phase = { ...this.#phase, left: true }
    await this.#messages.send('BYE', { headers }, dialog)
  }

  /** Sends the NOTIFY with the outcome of a transfer before our BYE, unless the far end takes too long to answer it. */
  byeWaitsFor(words: Promise<unknown>): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#clock.after(lastWordsMs, resolve)
    void words.then(() => {
      cancel()
      resolve()
    })
    this.#lastWords = promise
  }

  /** Runs when the session ends. Returns a function that unregisters it. */
  atEnd(run: () => void): () => void {
    this.#atEnd.add(run)
    return () => void this.#atEnd.delete(run)
  }

  /** Resolves after `ms`, at the end of the session, or when `happened` settles. */
  pause(ms: number, happened?: Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const over = (): void => {
      cancel()
      forget()
      resolve()
    }
    const cancel = this.#clock.after(ms, over)
    const forget = this.atEnd(over)
    void happened?.then(over)
    return promise
  }
}

/** The observer of a session. Its exceptions are reported and do not affect the far end. */
export class GuardedObserver {
  readonly #fault: (error: unknown) => void
  #observer: SessionObserver = {}

  constructor(fault: (error: unknown) => void) {
    this.#fault = fault
  }

  /** Replaces the observer. */
  become(observer: SessionObserver): void {
    this.#observer = observer
  }

  /** Detaches the observer, so that a session kept for late messages does not retain the whole call. */
  leave(): void {
    this.#observer = {}
  }

  notify<T>(run: (observer: SessionObserver) => T): T | undefined {
    try {
      return run(this.#observer)
    } catch (error) {
      this.#fault(error)
      return undefined
    }
  }

  /** The answer to the far end's offer, or our offer if it made none. */
  async askFor(sdp: string | undefined, message: Request | Response): Promise<OfferReply> {
    try {
      return (await this.#observer.offered?.(sdp, message)) ?? { status: 488 }
    } catch (error) {
      this.#fault(error)
      return { status: 500 }
    }
  }
}
