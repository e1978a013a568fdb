import type { Expectation, ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { Endpoint } from './endpoint-line.ts'
import { failuresOf } from './expectations.ts'
import { VirtualCall, type VirtualCallOptions } from './virtual-call.ts'

export interface SimulateOptions<Given = void> extends VirtualCallOptions<Given> {
  /** Milliseconds of the greeting to hear before the caller continues. Default: all of it. */
  listenMs?: number
}

/** Milliseconds of the answer to hear before the caller continues; the next words interrupt it. Default: all of it. */
export interface Patience {
  listenMs?: number
}

/** Expectations that were not met. */
export class ExpectationError extends Error {
  override readonly name = 'ExpectationError'
}

/** A call with an assistant, for tests: without service, audio or waiting. */
export interface SimulatedCall {
  say(text: string, options?: Patience & { language?: string }): Promise<void>
  press(keys: string, options?: Patience): Promise<void>
  /** The caller stays silent. */
  wait(seconds: number): Promise<void>
  hangUp(): Promise<void>
  /** Throws if an expectation is not met since the caller's last step. */
  expect(expected: Expectation): void
  /** Heard speech of the assistant since the caller's last step. */
  readonly said: string
  /** All actions of the call, as received. */
  readonly actions: readonly Action[]
  /** Everything that happened. */
  readonly transcript: readonly ScenarioMoment[]
  /** Reason of the end; undefined while the call is active. */
  readonly ended: SessionEndReason | undefined
  /** Milliseconds in conversation time. */
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
