import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { SpeechPlayout } from './speech-playout.ts'

type Speech = ActionOf<'speak'> | ActionOf<'audio'>

/** Speeches whose sound is being made although it is not sure that they will be heard. Nothing of them sounds. */
export class PreparedSpeeches {
  /** Undefined: a further piece of one of them. */
  readonly #speeches = new Map<Speech, SpeechPlayout | undefined>()
  /** Not wanted any more, and still releasing what they use. */
  readonly #ending = new Set<Promise<void>>()

  add(action: Speech, speech: SpeechPlayout | undefined): void {
    this.#speeches.set(action, speech)
    speech?.prepare()
  }

  /** The one that was prepared for the action, or what `make` gives; undefined: nothing is to be played for it. */
  take(action: Speech, make: () => SpeechPlayout | undefined): SpeechPlayout | undefined {
    if (!this.#speeches.has(action)) return make()
    const speech = this.#speeches.get(action)
    this.#speeches.delete(action)
    return speech
  }

  drop(): void {
    for (const speech of this.#speeches.values()) {
      if (!speech) continue
      speech.stop()
      const ended = speech.done.then(() => void this.#ending.delete(ended))
      this.#ending.add(ended)
    }
    this.#speeches.clear()
  }

  async close(): Promise<void> {
    this.drop()
    await Promise.all(this.#ending)
  }
}
