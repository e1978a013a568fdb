import { setTimeout as sleep } from 'node:timers/promises'
import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import type { Stage } from '../../shared/assistant-stage.ts'
import { TalkingPhone, utteranceOf, type PhoneRequest, type SaidAt } from '../../assistant/talking-phone.ts'

export interface Told {
  /** performance.now() */
  at: number
  body: AssistantEvent
}

/** The endpoint's answers within one call; the time of each is recorded. */
export type Answer = (event: AssistantEvent, nth: number) => object | undefined

const pollIntervalMs = 20

/** Caller of a number of the service, with an endpoint that records its events. */
export class Caller {
  readonly #stage: Stage
  readonly #number: string
  #phone: TalkingPhone | undefined
  #from = 0
  #dialledAt = 0
  /** Total duration of the calls in seconds. */
  seconds = 0

  constructor(stage: Stage, number: string) {
    this.#stage = stage
    this.#number = number
  }

  get phone(): TalkingPhone {
    if (!this.#phone) throw new Error('there is no call')
    return this.#phone
  }

  async dial(input: PhoneRequest = {}): Promise<void> {
    this.#from = this.#stage.endpoint.events.length
    this.#phone = await TalkingPhone.open(this.#stage.scope, this.#stage.exchange, input)
    this.#dialledAt = performance.now()
    await this.#phone.dial(this.#number)
  }

  async hangUp(): Promise<void> {
    await this.#phone?.hangUp()
    this.#phone = undefined
    this.seconds += (performance.now() - this.#dialledAt) / 1000
  }

  /** Resolves when the last voiced sample is sent. */
  say(samples: Int16Array): Promise<SaidAt> {
    return this.phone.say(utteranceOf(samples))
  }

  /** Events of this type that the endpoint received in this call. */
  onEvent(type: EventType): Told[] {
    const own = this.#number.replace('+', '')
    return this.#stage.endpoint.events
      .slice(this.#from)
      .filter(({ body }) => body.type === type && body.session.phone_number === own)
      .map(({ at, body }) => ({ at, body }))
  }

  /** True if the condition held in time. */
  async until(what: () => boolean, ms: number): Promise<boolean> {
    for (const end = performance.now() + ms; performance.now() < end;) {
      if (what()) return true
      await sleep(pollIntervalMs)
    }
    return what()
  }
}
