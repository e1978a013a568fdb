import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { FlowCall } from '#core/kernel/ports/assistant.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Said } from './conversation.ts'

/** Milliseconds after a hello in which a WebSocket endpoint's greeting may come. */
const greetingMs = 3_000

/** Actions after which a hello needs no answer. */
const noticed: readonly Action['type'][] = ['speak', 'audio', 'mix_audio', 'hangup', 'transfer', 'send_dtmf']

/** True for the first assistant of a call that it makes: nobody says hello to a later one. */
export const callsOut = ({ direction, transferredFrom }: FlowCall): boolean => direction === 'outbound' && transferredFrom === undefined

interface CalleeGreetingDeps {
  clock: Clock
  /** True if the endpoint need not answer every event. */
  duplex: () => boolean
  /** Reports the hello as a turn after all: the endpoint waits for the callee. */
  release: (said: Said) => void
}

/** Holds a callee's lone hello back until it is known whether the endpoint greets by itself. A turn would discard that greeting. */
export class CalleeGreeting {
  readonly #deps: CalleeGreetingDeps
  #held: Said | undefined
  /** Whether the endpoint greets; undefined until it has answered session_start. */
  #greets: boolean | undefined
  #cancelTimer: () => void = () => {}

  constructor(deps: CalleeGreetingDeps) {
    this.#deps = deps
  }

  /** Returns true if these words wait. Words that say more replace a hello. */
  holds(said: Said): boolean {
    this.#forget()
    if (!said.greets) this.#greets = false
    if (this.#greets !== undefined) return this.#greets // a greeting is on its way to the floor
    this.#held = said
    const { clock, duplex } = this.#deps
    if (duplex()) this.#cancelTimer = clock.after(greetingMs, () => this.#release())
    return true
  }

  /** Actions in answer to session_start. A WebSocket endpoint may still greet after others. */
  replied(actions: readonly Action[]): void {
    if (this.#greets !== undefined) return
    const greets = actions.some(({ type }) => noticed.includes(type))
    if (!greets && this.#deps.duplex()) return
    this.#greets = greets
    if (greets) this.#forget()
    else this.#release()
  }

  /** The session began before, or is over. */
  stop(): void {
    this.#greets = false
    this.#forget()
  }

  #release(): void {
    const said = this.#held
    this.#forget()
    if (said) this.#deps.release(said)
  }

  #forget(): void {
    this.#cancelTimer()
    this.#held = undefined
  }
}
