import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { ServiceSide } from './gateway.ts'

type Speech = Omit<ActionOf<'speak'>, 'type' | 'session_id' | 'stream_id' | 'last'>

/** What the caller hears, one thing after the other; knows when all of it was heard, or will not be any more. */
export class Speeches {
  readonly #service: Pick<ServiceSide, 'act'>
  #count = 0
  #open: string[] = []
  #waiting: (() => void)[] = []

  constructor(service: Pick<ServiceSide, 'act'>) {
    this.#service = service
  }

  say(speech: Speech): void {
    const id = `s${++this.#count}`
    this.#open.push(id)
    this.#service.act({ type: 'speak', stream_id: id, last: true, ...speech })
  }

  /** Ends what is being said, and what waits. */
  stop(): void {
    if (this.#open.length > 0) this.#service.act({ type: 'barge_in' })
    this.#finished(this.#open.length)
  }

  take(event: LiveEvent): void {
    if (event.type === 'assistant_speech_ended' || event.type === 'assistant_speak') this.#ended(event.stream_id)
    if (event.type === 'user_speak') this.#finished(this.#open.length) // whoever has the floor is not talked to
    if (event.type === 'action_discarded' && event.action === 'speak') this.#finished(1)
  }

  get silent(): boolean {
    return this.#open.length === 0
  }

  /** Calls back once, at once if nothing is being said. */
  whenSilent(go: () => void): void {
    if (this.silent) go()
    else this.#waiting.push(go)
  }

  #ended(id: string | undefined): void {
    this.#finished(id === undefined ? 0 : this.#open.indexOf(id) + 1)
  }

  #finished(count: number): void {
    this.#open.splice(0, count)
    if (this.silent) for (const go of this.#waiting.splice(0)) go()
  }
}
