import type { Expectation, ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { Endpoint } from './endpoint-line.ts'
import { failuresOf } from './expectations.ts'
import { VirtualCall, type VirtualCallOptions } from './virtual-call.ts'

export interface SimulateOptions<Given = void> extends VirtualCallOptions<Given> {
  /** So much of the greeting is listened to before the caller goes on. Default: all of it. */
  listenMs?: number
}

/** So much of the answer is listened to before the caller goes on: what is said then interrupts it. Default: all of it. */
export interface Patience {
  listenMs?: number
}

/** Expectations that were not met. */
export class ExpectationError extends Error {
  override readonly name = 'ExpectationError'
}

/** A call with an assistant, for tests: without service, sound or waiting. */
export interface SimulatedCall {
  say(text: string, options?: Patience & { language?: string }): Promise<void>
  press(keys: string, options?: Patience): Promise<void>
  /** The caller says nothing for so long. */
  wait(seconds: number): Promise<void>
  hangUp(): Promise<void>
  /** Throws when something is not so, since the caller did something. */
  expect(expected: Expectation): void
  /** What the assistant has said since the caller did something, as far as it was heard. */
  readonly said: string
  /** All actions of the call, as they came. */
  readonly actions: readonly Action[]
  /** Everything that happened. */
  readonly transcript: readonly ScenarioMoment[]
  /** Why it is over; undefined: it is not. */
  readonly ended: SessionEndReason | undefined
  /** How long it would have lasted until now. */
  readonly lastedMs: number
}

/** Calls an assistant. Resolves when its greeting was heard. */
export const simulate = async <Given = void>(endpoint: Endpoint<Given>, options: SimulateOptions<Given> = {}): Promise<SimulatedCall> => {
  const call = new VirtualCall(endpoint, options)
  await call.start()
  await call.listen(options.listenMs)
  return new Simulation(call)
}

class Simulation<Given> implements SimulatedCall {
  readonly #call: VirtualCall<Given>

  constructor(call: VirtualCall<Given>) {
    this.#call = call
  }

  async say(text: string, { listenMs, ...options }: Patience & { language?: string } = {}): Promise<void> {
    this.#goesOn(`“${text}” cannot be said`)
    await this.#call.say(text, options)
    await this.#call.listen(listenMs)
  }

  async press(keys: string, { listenMs }: Patience = {}): Promise<void> {
    this.#goesOn(`${keys} cannot be pressed`)
    await this.#call.press(keys)
    await this.#call.listen(listenMs)
  }

  async wait(seconds: number): Promise<void> {
    this.#goesOn('nobody can wait')
    await this.#call.wait(seconds)
    await this.#call.listen()
  }

  hangUp(): Promise<void> {
    return this.#call.hangUp()
  }

  expect(expected: Expectation): void {
    const failures = failuresOf(expected, this.#call.observed)
    if (failures.length > 0) throw new ExpectationError(failures.join('\n'))
  }

  get said(): string {
    return this.#call.said.join(' ')
  }

  get actions(): readonly Action[] {
    return this.#call.record.deeds.map(({ action }) => action)
  }

  get transcript(): readonly ScenarioMoment[] {
    return this.#call.transcript
  }

  get ended(): SessionEndReason | undefined {
    return this.#call.ended
  }

  get lastedMs(): number {
    return this.#call.lastedMs
  }

  #goesOn(why: string): void {
    const { ended } = this.#call
    if (ended !== undefined) throw new ExpectationError(`The call is over (${ended}): ${why}.`)
  }
}
