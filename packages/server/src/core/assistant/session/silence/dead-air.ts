import type { Clock } from '#core/kernel/ports/clock.ts'
import type { SystemPhrases } from '#core/speech/system-phrases/system-phrases.ts'
import type { Conversation, Said, Stall } from '../conversation/conversation.ts'
import type { SessionEndpoint } from '../endpoint/session-endpoint.ts'
import type { SessionLanguage } from '../language/session-language.ts'
import type { SessionContext } from '../session-context.ts'
import type { SessionTimeouts } from '../session-timeouts.ts'
import { Fillers } from './fillers.ts'
import { OwnVoice } from './own-voice.ts'
import { UnclearSpeech } from './unclear-speech.ts'
import { UnsaidSpeech } from './unsaid-speech.ts'

/** Words that come so much after the end of their turn have kept the caller waiting. */
const lateMs = 500

export interface DeadAirDeps {
  clock: Clock
  context: Pick<SessionContext, 'flow' | 'session' | 'timeline'>
  conversation: Conversation
  language: SessionLanguage
  endpoint: SessionEndpoint
  timeouts: SessionTimeouts
  /** What the caller says is meant for the assistant, and the assistant can respond. */
  isAttentive: () => boolean
  isOver: () => boolean
  /** The endpoint wants to hang up or transfer, as soon as everything was heard. */
  isEnding: () => boolean
  /** Nothing can be said to the caller any more. */
  onMute: () => void
  /** Only for the log. */
  onFailure: (error: unknown) => void
}

/** Sees to it that callers never hear nothing for long without knowing why, unless the flow wants it. */
export class DeadAir {
  readonly unclear: UnclearSpeech
  readonly unsaid: UnsaidSpeech
  /** The caller is on hold, and hears that. */
  held = false
  readonly #deps: DeadAirDeps
  readonly #voice: OwnVoice
  readonly #fillers: Fillers
  /** Of the turn that is being told. */
  #turnOverAt: number | undefined

  constructor(deps: DeadAirDeps) {
    const { clock, context, conversation, language, endpoint, timeouts, isOver, onFailure } = deps
    const { flow, session, timeline } = context
    const { fillers, retryText } = flow.settings
    this.#deps = deps
    const latest = (): string => endpoint.latest
    this.#voice = new OwnVoice({ sessionId: session.id, conversation, language, timeouts, latest, isOver, onFailure })
    this.#fillers = new Fillers({
      clock,
      settings: fillers,
      duplex: () => endpoint.duplex,
      isSilent: (stalled) => this.#isStill(stalled),
      ownTexts: () => this.#voice.words.fillers,
      say: (text, plainly) => {
        const isOurs = fillers?.texts?.includes(text) !== true
        return this.#voice.fill(text, { isOurs, plainly }, () => timeline.filler(endpoint.turn, text))
      },
    })
    this.unsaid = new UnsaidSpeech({ askAgain: () => this.say(retryText, ({ retry }) => retry), giveUp: () => deps.onMute() })
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
  say(text: string | undefined, own: (words: SystemPhrases) => string): void {
    this.#voice.say(text, own)
  }

  /** From now on the caller waits for an answer; or from when the turn was over, if its words came later. */
  awaits(): void {
    this.#fillers.awaits(this.#turnOverAt)
  }

  /** A turn is told. */
  tells({ timing }: Said, notify: () => void): void {
    const overAt = timing.speechEndedAt + timing.endpointMs
    this.#turnOverAt = this.#deps.clock.now() - overAt > lateMs ? overAt : undefined
    notify()
    this.#turnOverAt = undefined
  }

  /** It is there, or none will come. */
  settled(): void {
    this.#fillers.settled()
    if (this.#isSilent) this.#deps.timeouts.nothingSaid()
  }

  /** Something is to be said, and nothing of it is there to be heard. */
  stalled(stall: Stall): void {
    this.#fillers.stalled(stall)
  }

  /** Everything was said that there was. */
  quiet(): void {
    this.#fillers.stallOver()
    if (this.#deps.isAttentive() && this.#fillers.wanted) this.unsaid.quiet()
    if (!this.waiting && !this.#deps.conversation.speaking) this.#deps.timeouts.quiet()
  }

  /** Nobody has said anything for a while. */
  nobodySpeaks(): void {
    if (this.#fillers.wanted && this.#isStill(false)) this.say(undefined, ({ stillThere }) => stillThere)
  }

  stop(): void {
    this.#fillers.settled()
  }

  /** Nothing is said or about to be, and the caller is there and listens. */
  get #isSilent(): boolean {
    return this.#isListening && !this.#deps.conversation.speaking
  }

  /** Not even music of the endpoint tells the caller that it goes on. `stalled`: something is about to be said, but silent. */
  #isStill(stalled: boolean): boolean {
    const { conversation } = this.#deps
    const isSilent = this.#isSilent || (stalled && this.#isListening && conversation.stalled)
    return isSilent && !conversation.playsBackground && !this.#deps.isEnding()
  }

  get #isListening(): boolean {
    return this.#deps.isAttentive() && !this.held && !this.#deps.conversation.callerSpeaks
  }
}
