import type { Clock } from '#core/kernel/ports/platform.ts'
import { type SystemPhrases, systemPhrases } from '#core/speech/system-phrases/system-phrases.ts'
import type { Conversation, Said, Stall, Unclear } from '../conversation.ts'
import type { SessionEndpoint } from '../endpoint/session-endpoint.ts'
import { type SessionLanguage, systemPhraseLanguage } from '../session-language.ts'
import type { SessionContext } from '../assistant-deps.ts'
import type { SessionTimeouts } from '../session-timeouts.ts'
import { Fillers } from './fillers.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { SessionTimeline } from '../endpoint/session-timeline.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'

/** Delay in milliseconds after which late words count as waiting time of the caller. */
const lateMs = 500

interface DeadAirDeps {
  clock: Clock
  context: Pick<SessionContext, 'flow' | 'session' | 'timeline'>
  conversation: Conversation
  language: SessionLanguage
  endpoint: SessionEndpoint
  timeouts: SessionTimeouts
  /** True if the caller's words are for the assistant and it can respond. */
  isAttentive: () => boolean
  isOver: () => boolean
  /** True if a hang-up or transfer is pending until all speech was heard. */
  isEnding: () => boolean
  /** Called when no voice can speak to the caller. */
  onMute: () => void
  /** For the log only. */
  onFailure: (error: unknown) => void
}

/** Prevents long unexplained silence, unless the flow wants it. */
export class DeadAir {
  readonly unclear: UnclearSpeech
  readonly unsaid: UnsaidSpeech
  /** The caller is on hold and hears hold music. */
  held = false
  readonly #deps: DeadAirDeps
  readonly #voice: OwnVoice
  readonly #fillers: Fillers
  /** End of the turn that is being reported. */
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

  /** Speaks the flow's text or a system phrase. */
  say(text: string | undefined, own: (words: SystemPhrases) => string, options?: SayOptions): void {
    this.#voice.say(text, own, options)
  }

  /** The caller waits for an answer from now, or from the end of the turn if its words came later. */
  awaits(): void {
    this.#fillers.awaits(this.#turnOverAt)
  }

  /** Reports a turn. */
  tells({ timing }: Said, notify: () => void): void {
    const overAt = timing.speechEndedAt + timing.endpointMs
    this.#turnOverAt = this.#deps.clock.now() - overAt > lateMs ? overAt : undefined
    notify()
    this.#turnOverAt = undefined
  }

  /** The answer arrived, or none will. */
  settled(): void {
    this.#fillers.settled()
    if (this.#isSilent) this.#deps.timeouts.nothingSaid()
  }

  /** The current speech has no audio. */
  stalled(stall: Stall): void {
    this.#fillers.stalled(stall)
  }

  /** All speech was played. */
  quiet(): void {
    this.#fillers.stallOver()
    if (this.#deps.isAttentive() && this.#fillers.wanted && !this.#deps.isEnding()) this.unsaid.quiet()
    if (!this.waiting && !this.#deps.conversation.speaking) this.#deps.timeouts.quiet()
  }

  /** Both sides have been silent for a while. */
  nobodySpeaks(): void {
    if (this.#fillers.wanted && this.#isStill(false)) this.say(undefined, ({ stillThere }) => stillThere)
  }

  stop(): void {
    this.#fillers.settled()
  }

  /** No speech is playing or queued, and the caller is present and listening. */
  get #isSilent(): boolean {
    return this.#isListening && !this.#deps.conversation.speaking
  }

  /** Like `#isSilent`, without background audio or a pending end. `stalled`: also counts a speech without audio. */
  #isStill(stalled: boolean): boolean {
    const { conversation } = this.#deps
    const isSilent = this.#isSilent || (stalled && this.#isListening && conversation.stalled)
    return isSilent && !conversation.playsBackground && !this.#deps.isEnding()
  }

  get #isListening(): boolean {
    return this.#deps.isAttentive() && !this.held && !this.#deps.conversation.callerSpeaks
  }
}

/** Confidence below which most words are wrong: higher on a noisy line, where recognisers are sure of wrong words. */
const minConfidence = { clean: 0.5, noisy: 0.7, perDb: 0.02, cleanDb: 17 }
export const minConfidenceAt = (snrDb = Infinity): number => {
  const { clean, noisy, perDb, cleanDb } = minConfidence
  return Math.min(noisy, clean + perDb * Math.max(0, cleanDb - snrDb))
}

/** Minimum voice in milliseconds that counts as speech; shorter ones are often a cough or a click. */
const minVoiceMs = 600
/** Maximum consecutive requests: a third attempt rarely helps, and a constant noise must not trigger endless requests. */
const maxRequests = 2

interface UnclearSpeechDeps {
  session: Session
  endpoint: Pick<SessionEndpoint, 'notify' | 'wants'>
  timeline: Pick<SessionTimeline, 'unclear'>
  /** No audio plays and no answer is pending. */
  isSilent: () => boolean
  /** Asks the caller to repeat. */
  askAgain: () => void
}

/** Handles caller speech that was not understood: always records it, and reports it to endpoints that want it. */
class UnclearSpeech {
  readonly #deps: UnclearSpeechDeps
  /** Requests since the last recognised words. */
  #asked = 0

  constructor(deps: UnclearSpeechDeps) {
    this.#deps = deps
  }

  /** Returns true if the turn is dropped, because the endpoint wants such speech reported separately. */
  takes({ text, confidence, snrDb, bargedIn, typed, durationMs = 0 }: Said): boolean {
    this.#asked = 0
    if (typed || confidence === undefined || confidence >= minConfidenceAt(snrDb)) return false
    this.#note({ durationMs, guess: text, confidence })
    const apart = !bargedIn && this.#deps.endpoint.wants('user_speech_unclear')
    if (apart) this.#notify({ durationMs, guess: text, confidence })
    return apart
  }

  /** A voice without words that was meant for the assistant. */
  voice(durationMs: number): void {
    if (durationMs < minVoiceMs) return
    const { endpoint, isSilent, askAgain: retryAsk } = this.#deps
    this.#note({ durationMs })
    if (endpoint.wants('user_speech_unclear')) return this.#notify({ durationMs })
    if (this.#asked >= maxRequests || !isSilent()) return
    this.#asked += 1
    retryAsk()
  }

  #note(unclear: Unclear): void {
    this.#deps.timeline.unclear(unclear)
  }

  #notify({ durationMs, guess, confidence }: Unclear): void {
    this.#deps.endpoint.notify({
      type: 'user_speech_unclear',
      session: this.#deps.session,
      duration_ms: Math.round(durationMs),
      ...(guess !== undefined && { best_guess: guess }),
      ...(confidence !== undefined && { confidence }),
    })
  }
}

/** Maximum consecutive system phrases in place of an answer that no voice could say. */
const maxUnsaidRequests = 2

interface UnsaidSpeechDeps {
  /** Asks the caller to repeat: a voice may be able to say the next answer. */
  askAgain: () => void
  /** Called when no voice can speak to the caller. */
  giveUp: () => void
}

/** Handles answers that no voice could say. System phrases may still be available as cached audio. */
class UnsaidSpeech {
  readonly #deps: UnsaidSpeechDeps
  /** A speech failed since the last quiet moment. */
  #unsaid = false
  /** Requests since the last audible answer. */
  #asked = 0
  #asking = false

  constructor(deps: UnsaidSpeechDeps) {
    this.#deps = deps
  }

  /** A speech produced no audio. */
  add(): void {
    this.#unsaid = true
  }

  /** Audio is playing. */
  heard(): void {
    this.#unsaid = false
    if (!this.#asking) this.#asked = 0
    this.#asking = false
  }

  /** All possible speech was played. */
  quiet(): void {
    if (!this.#unsaid) return
    this.#unsaid = false
    if (this.#asking || this.#asked >= maxUnsaidRequests) return this.#deps.giveUp()
    this.#asked += 1
    this.#asking = true
    this.#deps.askAgain()
  }
}

interface OwnVoiceDeps {
  sessionId: string
  conversation: Conversation
  language: SessionLanguage
  timeouts: Pick<SessionTimeouts, 'speaks'>
  /** Last sent event: problems with the speech are logged there. */
  latest: () => string
  isOver: () => boolean
  /** For the log only. */
  onFailure: (error: unknown) => void
}

/** `protect`: the caller cannot interrupt it. */
export type SayOptions = Pick<ActionOf<'speak'>, 'protect'>

/** Speaks system phrases and the flow's texts instead of the endpoint. */
class OwnVoice {
  readonly #deps: OwnVoiceDeps

  constructor(deps: OwnVoiceDeps) {
    this.#deps = deps
  }

  /** Phrases in the current language; without a voice for it in the flow's, else in English. */
  get words(): SystemPhrases {
    return systemPhrases(this.#language)
  }

  /** Speaks the flow's text or a system phrase. */
  say(text: string | undefined, own: (words: SystemPhrases) => string, options: SayOptions = {}): void {
    const { conversation, timeouts, latest, isOver } = this.#deps
    if (isOver()) return
    timeouts.speaks(undefined)
    this.#attempt(() =>
      conversation.say({ ...(text === undefined ? this.#own(own(this.words)) : this.#speak({ text })), ...options }, latest()),
    )
  }

  /**
   * Plays a filler while an answer is pending, without reporting it. `plainly`: with the embedded voice. Returns a function that cancels it
   * before it sounds.
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
