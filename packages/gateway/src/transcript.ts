import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'

export interface Utterance {
  role: 'agent' | 'user'
  content: string
}

/** Heard transcript of a call: an interrupted answer counts as far as the caller heard it. */
export class Transcript {
  readonly #utterances: Utterance[] = []

  get utterances(): readonly Utterance[] {
    return this.#utterances
  }

  take(event: LiveEvent): void {
    if (event.type === 'user_speak') this.#add('user', event.text)
    if (event.type === 'assistant_speak') this.#add('agent', event.heard_text ?? event.text ?? withoutTags(event.ssml ?? ''))
  }

  /** Consecutive speeches of the assistant form one utterance; each turn of the caller is separate. */
  #add(role: Utterance['role'], content: string): void {
    const last = this.#utterances.at(-1)
    if (content.trim() === '') return
    if (role === 'agent' && last?.role === role) last.content = `${last.content} ${content.trim()}`
    else this.#utterances.push({ role, content: content.trim() })
  }
}

const withoutTags = (ssml: string): string => ssml.replaceAll(/<[^>]*>/g, '')
