import type { End } from '#core/kernel/ports/calls.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { BackgroundWork } from '#core/kernel/work/background-work.ts'
import type { IncomingCallHandler } from './assistant-party.ts'
import { endByFault, takenOver } from './end.ts'

interface CallLifeDeps {
  id: string
  clock: Clock
  onFailure: (error: unknown, callId: string) => void
  /** Called once, with the end that counts. */
  onEnd: (end: End) => void
  /** Whether this node still owns the call; undefined if no other node can have taken it. */
  stillOurs: () => Promise<boolean> | undefined
}

/** Common part of a call that its parts share: answered at most once, ends once, and keeps faults and background work together. */
export class CallLife {
  readonly id: string
  /** Resolves with the end of the call. */
  readonly over: Promise<End>
  /** Undefined until the call is answered. */
  answeredAt: number | undefined
  readonly #deps: CallLifeDeps
  readonly #resolve: (end: End) => void
  readonly #backgroundWork = new BackgroundWork((error) => this.report(error))
  #end: End | undefined
  #endedAt: number | undefined
  #callHandler: IncomingCallHandler | undefined
  #cancelTimer: () => void = () => {}

  constructor(deps: CallLifeDeps) {
    this.#deps = deps
    this.id = deps.id
    const { promise, resolve } = Promise.withResolvers<End>()
    this.over = promise
    this.#resolve = resolve
  }

  /** Undefined while the call runs. */
  get end(): End | undefined {
    return this.#end
  }

  get endedAt(): number | undefined {
    return this.#endedAt
  }

  get callHandler(): IncomingCallHandler | undefined {
    return this.#callHandler
  }

  handledBy(callHandler: IncomingCallHandler): void {
    this.#callHandler = callHandler
  }

  /** The first end wins; later ones are its consequences. */
  finish(end: End): void {
    if (this.#end) return
    this.#end = end
    this.#resolve(end)
    this.#endedAt = this.#deps.clock.now()
    this.#cancelTimer()
    this.#deps.onEnd(end)
  }

  /** For ends that a suspended node may detect wrongly after another node took the call over. */
  finishIfOurs(end: End): void {
    const ours = this.#deps.stillOurs()
    if (!ours) return this.finish(end)
    this.track(ours.then((isOurs) => this.finish(isOurs ? end : takenOver)))
  }

  /** Ends the call after the delay, unless it ends earlier or the timer is replaced. */
  endIn(ms: number, end: End): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#deps.clock.after(ms, () => this.finishIfOurs(end))
  }

  fail(error: unknown): void {
    this.report(error)
    this.finish(endByFault(error))
  }

  /** For work whose failure does not affect the call. */
  attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.report(error)
    }
  }

  /** For work the connection of the parties depends on: a failure ends the call. */
  must<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.fail(error)
      return undefined
    }
  }

  /** Delays completion of the call's records until the task is done. */
  track(task: Promise<void>): void {
    this.#backgroundWork.start(() => task)
  }

  /** Resolves when all tracked tasks are done. */
  tracked(): Promise<void> {
    return this.#backgroundWork.done()
  }

  report(error: unknown): void {
    this.#deps.onFailure(error, this.id)
  }
}
