import type { Dialog } from '../dialog/dialog.ts'
import type { HeaderLines } from '../message/build.ts'
import type { SipClock } from '../transport/transport.ts'
import type { DialogMessages } from './dialog-messages.ts'
import type { GuardedObserver } from './guarded-observer.ts'
import type { SessionEnd, SessionState } from './session.ts'

/** How long BYE waits for the last NOTIFY of a transfer, in milliseconds. */
const lastWordsMs = 2_000

interface Unanswered {
  readonly state: 'calling' | 'early'
  /** Incoming: from the start. Outgoing: the branch that rang last. */
  readonly dialog: Dialog | undefined
}

interface Confirmed {
  readonly state: 'confirmed'
  readonly dialog: Dialog
  /** The ACK of the INVITE is there, or will never be: BYE waits for it (RFC 3261 §15). */
  readonly acknowledged: Promise<unknown>
}

interface Ended {
  readonly state: 'ended'
  readonly dialog: Dialog | undefined
  readonly end: SessionEnd
  /** The BYE or CANCEL that is still under way. */
  readonly farewell: Promise<unknown>
  /** No request fits into the dialog any more: our BYE is on its way, or theirs came. */
  readonly left: boolean
}

type Phase = Unanswered | Confirmed | Ended

/** From the INVITE to the end: the phase of a session, and its moves. */
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

  /** The one that counts; while a forked call rings, the latest. */
  get dialog(): Dialog | undefined {
    return this.#phase.dialog
  }

  get end(): SessionEnd | undefined {
    return this.#phase.state === 'ended' ? this.#phase.end : undefined
  }

  /** Resolves when the ACK of the first INVITE is there; at once when there is none to wait for. */
  get acknowledged(): Promise<unknown> {
    return this.#phase.state === 'confirmed' ? this.#phase.acknowledged : Promise.resolve()
  }

  /** Resolves when the BYE or CANCEL after the end is done with. */
  get farewell(): Promise<unknown> {
    return this.#phase.state === 'ended' ? this.#phase.farewell : Promise.resolve()
  }

  /** No request fits into the dialog any more. */
  get left(): boolean {
    return this.#phase.state === 'ended' && this.#phase.left
  }

  /** A function, because the compiler would not believe that the state changes while something is waited for. */
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

  /** The first end counts. `farewell`: the BYE or CANCEL under way; without it the dialog is left at once. */
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

  /** The NOTIFY with the outcome of a transfer goes before our BYE, unless the far end takes too long to answer it. */
  byeWaitsFor(words: Promise<unknown>): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#clock.after(lastWordsMs, resolve)
    void words.then(() => {
      cancel()
      resolve()
    })
    this.#lastWords = promise
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
    const cancel = this.#clock.after(ms, over)
    const forget = this.atEnd(over)
    void happened?.then(over)
    return promise
  }
}
