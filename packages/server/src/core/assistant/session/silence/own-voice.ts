import { systemPhrases } from '#core/speech/system-phrases/languages.ts'
import type { SystemPhrases } from '#core/speech/system-phrases/system-phrases.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { systemPhraseLanguage, type SessionLanguage } from '../language/session-language.ts'
import type { SessionTimeouts } from '../session-timeouts.ts'

export interface OwnVoiceDeps {
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
  readonly #deps: OwnVoiceDeps

  constructor(deps: OwnVoiceDeps) {
    this.#deps = deps
  }

  /** In the language in force; where no voice speaks that, in the flow's, or in English. */
  get words(): SystemPhrases {
    return systemPhrases(this.#language)
  }

  /** The flow's words, or our own. */
  say(text: string | undefined, own: (words: SystemPhrases) => string): void {
    const { conversation, timeouts, latest, isOver } = this.#deps
    if (isOver()) return
    timeouts.speaks(undefined)
    this.#attempt(() => conversation.say(text === undefined ? this.#own(own(this.words)) : this.#speak({ text }), latest()))
  }

  /**
   * While an answer is awaited: nobody is told of it. `plainly`: with the embedded voice. Gives how to take it back before it sounds.
   */
  fill(text: string, { isOurs, plainly }: { isOurs: boolean; plainly: boolean }, sounds: () => void): () => void {
    const { conversation, latest } = this.#deps
    const tts = { ...(isOurs && { language: this.#language }), ...(plainly && { provider: 'embedded' }) }
    const speech = this.#speak({ text, ...(Object.keys(tts).length > 0 && { tts }) })
    return this.#attempt(() => conversation.sayAside(speech, latest(), sounds)) ?? (() => {})
  }

  get #language(): string {
    const { language, conversation } = this.#deps
    return systemPhraseLanguage(language, (tag) => conversation.speaks(tag))
  }

  #own(text: string): ActionOf<'speak'> {
    return this.#speak({ text, tts: { language: this.#language } })
  }

  #speak(speech: Pick<ActionOf<'speak'>, 'text' | 'tts'>): ActionOf<'speak'> {
    return { type: 'speak', session_id: this.#deps.sessionId, ...speech }
  }

  #attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#deps.onFailure(error)
      return undefined
    }
  }
}
