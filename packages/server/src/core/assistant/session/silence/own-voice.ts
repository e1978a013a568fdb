import { ownWords } from '#core/speech/own-words/languages.ts'
import type { OwnWords } from '#core/speech/own-words/own-words.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { languageOfOwnWords, type SessionLanguage } from '../language/session-language.ts'
import type { SessionTimeouts } from '../session-timeouts.ts'

export interface OwnVoiceParts {
  sessionId: string
  conversation: Conversation
  language: SessionLanguage
  timeouts: Pick<SessionTimeouts, 'speaks'>
  /** The event that was sent last: problems with what is said are noted there. */
  latest: () => string
  isOver: () => boolean
  /** Only for the log. */
  onFailure: (error: unknown) => void
}

/** Says words of ours, which are not the endpoint's. */
export class OwnVoice {
  readonly #parts: OwnVoiceParts

  constructor(parts: OwnVoiceParts) {
    this.#parts = parts
  }

  /** In the language in force; where no voice speaks that, in the flow's, or in English. */
  get words(): OwnWords {
    return ownWords(this.#language)
  }

  /** The flow's words, or our own. */
  say(text: string | undefined, own: (words: OwnWords) => string): void {
    const { conversation, timeouts, latest, isOver } = this.#parts
    if (isOver()) return
    timeouts.speaks(undefined)
    this.#attempt(() => conversation.say(text === undefined ? this.#own(own(this.words)) : this.#speak({ text }), latest()))
  }

  /**
   * While an answer is awaited: nobody is told of it. `plainly`: with the embedded voice. Gives how to take it back before it sounds.
   */
  fill(text: string, { isOurs, plainly }: { isOurs: boolean; plainly: boolean }, sounds: () => void): () => void {
    const { conversation, latest } = this.#parts
    const tts = { ...(isOurs && { language: this.#language }), ...(plainly && { provider: 'embedded' }) }
    const speech = this.#speak({ text, ...(Object.keys(tts).length > 0 && { tts }) })
    return this.#attempt(() => conversation.sayAside(speech, latest(), sounds)) ?? (() => {})
  }

  get #language(): string {
    const { language, conversation } = this.#parts
    return languageOfOwnWords(language, (tag) => conversation.speaks(tag))
  }

  #own(text: string): ActionOf<'speak'> {
    return this.#speak({ text, tts: { language: this.#language } })
  }

  #speak(speech: Pick<ActionOf<'speak'>, 'text' | 'tts'>): ActionOf<'speak'> {
    return { type: 'speak', session_id: this.#parts.sessionId, ...speech }
  }

  #attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#parts.onFailure(error)
      return undefined
    }
  }
}
