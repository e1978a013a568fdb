import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OwnWords } from '#core/speech/own-words/own-words.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { SessionEndpoint } from '../endpoint/session-endpoint.ts'
import type { SessionLanguage } from '../language/session-language.ts'
import type { SessionContext } from '../session-context.ts'
import type { SessionTimeouts } from '../session-timeouts.ts'
import { Fillers } from './fillers.ts'
import { OwnVoice } from './own-voice.ts'
import { UnclearSpeech } from './unclear-speech.ts'

export interface DeadAirParts {
  clock: Clock
  context: Pick<SessionContext, 'flow' | 'session' | 'timeline'>
  conversation: Conversation
  language: SessionLanguage
  endpoint: SessionEndpoint
  timeouts: SessionTimeouts
  /** What the caller says is meant for the assistant, and the assistant can respond. */
  isAttentive: () => boolean
  isOver: () => boolean
  /** Only for the log. */
  onFailure: (error: unknown) => void
}

/** Sees to it that callers never hear nothing for long without knowing why, unless the flow wants it. */
export class DeadAir {
  readonly unclear: UnclearSpeech
  /** The caller is on hold, and hears that. */
  held = false
  readonly #parts: DeadAirParts
  readonly #voice: OwnVoice
  readonly #fillers: Fillers

  constructor(parts: DeadAirParts) {
    const { clock, context, conversation, language, endpoint, timeouts, isOver, onFailure } = parts
    const { flow, session, timeline } = context
    const { fillers, retryText } = flow.settings
    this.#parts = parts
    const latest = (): string => endpoint.latest
    this.#voice = new OwnVoice({ sessionId: session.id, conversation, language, timeouts, latest, isOver, onFailure })
    this.#fillers = new Fillers({
      clock,
      settings: fillers,
      duplex: () => endpoint.duplex,
      isSilent: () => this.#isStill,
      ownTexts: () => this.#voice.words.fillers,
      say: (text) => this.#voice.fill(text, fillers?.texts?.includes(text) !== true, () => timeline.filler(endpoint.turn, text)),
    })
    this.unclear = new UnclearSpeech({
      session,
      endpoint,
      timeline,
      isSilent: () => this.#isSilent && !this.#fillers.waiting && this.#fillers.wanted,
      askAgain: () => this.say(retryText, ({ retry }) => retry),
    })
  }

  /** The caller waits for an answer. */
  get waiting(): boolean {
    return this.#fillers.waiting
  }

  /** The flow's words, or our own. */
  say(text: string | undefined, own: (words: OwnWords) => string): void {
    this.#voice.say(text, own)
  }

  /** From now on the caller waits for an answer. */
  awaits(): void {
    this.#fillers.awaits()
  }

  /** It is there, or none will come. */
  settled(): void {
    this.#fillers.settled()
    if (this.#isSilent) this.#parts.timeouts.nothingSaid()
  }

  /** Nobody has said anything for a while. */
  nobodySpeaks(): void {
    if (this.#fillers.wanted && this.#isStill) this.say(undefined, ({ stillThere }) => stillThere)
  }

  stop(): void {
    this.#fillers.settled()
  }

  /** Nothing is said or about to be, and the caller is there and listens. */
  get #isSilent(): boolean {
    const { speaking, callerSpeaks } = this.#parts.conversation
    return this.#parts.isAttentive() && !this.held && !speaking && !callerSpeaks
  }

  /** And no music of the endpoint tells the caller that it goes on. */
  get #isStill(): boolean {
    return this.#isSilent && !this.#parts.conversation.playsBackground
  }
}
