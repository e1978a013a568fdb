import { Emitter, type Listeners, type AnsweredBy, type Conversation, type ConversationEvents, type Said } from './conversation.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import { systemPhrases, type SystemPhrases, hasSystemPhrases } from '#core/speech/system-phrases/system-phrases.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { AssistantDeps, SessionContext } from './assistant-deps.ts'
import { SessionLanguage } from './session-language.ts'
import type { FlowCall } from '#core/kernel/ports/assistant.ts'

/** Decision of a target, or none. */
export type Decision =
  | { decision: 'accepted'; by: 'key' | 'voice' }
  | { decision: 'declined'; by: 'key' | 'voice' | 'hangup' }
  /** `machine`: an answering machine took the call. */
  | { decision: 'none'; by?: 'machine' }

export interface BriefingDeps {
  clock: Clock
  leg: Leg
  openConversation: (events: Emitter<ConversationEvents>) => Conversation
  sessionId: string
  /** Undefined for the system phrases only. */
  text: string | undefined
  /** System phrases to use; default: the question whether to take a call. */
  words?: (own: SystemPhrases) => { opening: string; question: string }
  /** Language of the target (BCP 47). */
  language: string
  /** Enables answering-machine detection. */
  detectsMachines: boolean
  /** Resolves when the call is over and no decision is needed. */
  over: Promise<unknown>
}

const transferWords = ({ warmTransfer: { callForYou: opening, question } }: SystemPhrases) => ({ opening, question })

const keys: Partial<Record<string, 'accepted' | 'declined'>> = { 1: 'accepted', 2: 'declined' }

/** Milliseconds to wait for the greeting of the person who answers. */
const greetingMs = 800
/** Milliseconds before a retry of speech that the target talked over before it sounded. */
const retryMs = 250
/** Milliseconds to wait for an answer. */
const answerMs = 6_000
/** Maximum number of times the briefing is played. */
const maxAttempts = 2
/** A thousand characters take a little more than a minute. */
const maxMs = 100_000
/** Confidence below which a transcript is a guess. */
const minConfidence = 0.5

/** Speech comes in two parts; the first needs no answer. */
type Part = 'briefing' | 'question'

/**
 * Tells the target of a transfer what the call is about and asks whether to take it. Keys work at any time; voice only after the question began,
 * because people and machines speak when they answer a phone.
 */
export class Briefing {
  readonly decided: Promise<Decision>
  readonly #deps: BriefingDeps
  readonly #decide: (decision: Decision) => void
  readonly #conversation: Conversation
  readonly #stops: (() => void)[]
  /** Current or last part, and whether it has sounded. */
  #part: Part = 'briefing'
  #sounded = false
  #times = 1
  #asked = false
  /** The target's current speech began after the question. */
  #answers = false
  #cancelTimer: () => void = () => {}
  #ended = false

  constructor(deps: BriefingDeps) {
    const { promise, resolve } = Promise.withResolvers<Decision>()
    const { clock, leg, over, detectsMachines } = deps
    this.decided = promise
    this.#deps = deps
    this.#decide = resolve
    this.#stops = [leg.observe({ dtmf: (digit) => this.#pressed(digit) }), () => this.#cancelTimer()]
    this.#conversation = this.#open()
    this.#stops.push(clock.after(maxMs, () => this.#end({ decision: 'none' })))
    void leg.ended.then(() => this.#end({ decision: 'declined', by: 'hangup' }))
    void over.then(() => this.#end({ decision: 'none' }))
    if (detectsMachines) void this.#conversation.detectMachine().then((answeredBy) => this.#answeredBy(answeredBy))
    this.#after(greetingMs, () => this.#next())
  }

  #open(): Conversation {
    try {
      return this.#deps.openConversation(new Emitter<ConversationEvents>().listen(this.#listeners()))
    } catch (error) {
      for (const stop of this.#stops) stop()
      throw error
    }
  }

  #listeners(): Listeners<ConversationEvents> {
    return {
      speechStarted: () => {
        this.#cancelTimer()
        this.#answers = this.#asked
      },
      said: (said) => this.#said(said),
      falseAlarm: () => this.#next(),
      backchannel: () => this.#next(), // never with the strategy `manual`
      sounds: ({ eventId }) => {
        this.#sounded = true
        this.#asked ||= eventId === 'question'
      },
      quiet: () => this.#after(this.#sounded ? 0 : retryMs, () => this.#next()),
      problem: () => (this.#sounded = true), // a retry would fail as well
    }
  }

  #pressed(digit: string): void {
    const decision = keys[digit]
    if (decision) this.#end({ decision, by: 'key' })
  }

  /** Language of the system phrases: the target's if a voice exists for it. */
  get #language(): string {
    const { language } = this.#deps
    return this.#conversation.speaks(language) ? language : 'en'
  }

  #said({ text, confidence = 1 }: Said): void {
    const decision = readDecision(text, [this.#deps.language, this.#language])
    if (this.#answers && decision && confidence >= minConfidence) return this.#end({ decision, by: 'voice' })
    const wasNoAnswer = this.#answers && !this.#conversation.speaking && this.#times < maxAttempts
    if (wasNoAnswer) this.#again()
    else this.#next()
  }

  #answeredBy(answeredBy: AnsweredBy): void {
    if (answeredBy === 'machine') this.#end({ decision: 'none', by: 'machine' })
  }

  /** Next step while both sides are silent. */
  #next(): void {
    if (this.#ended || this.#conversation.speaking || this.#conversation.callerSpeaks) return
    if (!this.#sounded) this.#say(this.#part)
    else if (this.#part === 'briefing') this.#say('question')
    else this.#after(answerMs, () => this.#again())
  }

  #again(): void {
    if (this.#times >= maxAttempts) return this.#end({ decision: 'none' })
    this.#times += 1
    this.#say('briefing')
  }

  /** Not interruptible: a yes in the middle of it is still recognised. */
  #say(part: Part): void {
    const { sessionId: session_id, text, words: ask = transferWords } = this.#deps
    const { opening, question } = ask(systemPhrases(this.#language))
    const own = { text: part === 'question' ? question : opening, tts: { language: this.#language } }
    const words = part === 'question' || text === undefined ? own : { text }
    const expects = part === 'question' ? 'yes_no' : 'anything'
    this.#part = part
    this.#sounded = false
    this.#conversation.say({ type: 'speak', session_id, ...words, barge_in: { strategy: 'manual' }, expects }, part)
  }

  #after(ms: number, task: () => void): void {
    this.#cancelTimer()
    if (!this.#ended) this.#cancelTimer = this.#deps.clock.after(ms, task)
  }

  #end(decision: Decision): void {
    if (this.#ended) return
    this.#ended = true
    for (const stop of this.#stops) stop()
    // Playback stops immediately; waiting for the close is unnecessary.
    void this.#conversation.close()
    this.#decide(decision)
  }
}

/** Maximum words of a decision; a longer answer means something else. */
const maxWords = 6

const kinds = ['yes', 'no', 'beside'] as const
type Kind = (typeof kinds)[number]

/** Reads the target's decision. Undefined if the answer is unclear or could mean something else. */
export const readDecision = (text: string, languages: readonly string[]): 'accepted' | 'declined' | undefined => {
  const lists = languages.filter(hasSystemPhrases).map((language) => listsOf(systemPhrases(language)))
  const said = wordsIn(text)
  if (said.length === 0 || said.length > maxWords) return undefined
  const meant = said.map((word) => kinds.filter((kind) => lists.some((list) => list[kind].includes(word))))
  if (meant.some((of) => of.length === 0)) return undefined
  const says = (kind: Kind): boolean => meant.some((of) => of.includes(kind))
  if (says('yes') === says('no')) return undefined
  return says('yes') ? 'accepted' : 'declined'
}

const listsOf = ({ answers }: SystemPhrases): Record<Kind, string[]> => {
  const { yes, no, beside } = answers
  return { yes: wordsIn(yes), no: wordsIn(no), beside: wordsIn(beside) }
}

/** Removes accents and apostrophes, which recognisers write inconsistently. */
const wordsIn = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/['’](?=t\b|ll\b)/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Briefing for the target, and the event it replies to. */
interface BriefingOrder {
  text: string | undefined
  eventId: string
}

/** Talks with the transfer target, with the flow's voice, until it has decided. */
export type BriefTarget = (target: Leg, order: BriefingOrder) => Promise<Decision['decision']>

/**
 * `language`: the flow's, whatever the caller speaks, because targets are people of the flow's owner. The timeline records the target's decision
 * but not its words.
 */
export const briefing =
  (deps: AssistantDeps, { call, flow, session, timeline }: SessionContext, language: string): BriefTarget =>
  async (leg, { text, eventId }) => {
    const on = { leg, flow: listeningIn(flow, language), language: new SessionLanguage(language) }
    timeline.briefing(eventId, { state: 'begun' })
    const { decided } = new Briefing({
      clock: deps.clock,
      leg,
      openConversation: (events) => deps.openConversation(on, events),
      sessionId: session.id,
      text,
      language,
      detectsMachines: flow.settings.answeringMachineDetection !== undefined,
      over: call.over,
    })
    const { decision, by } = await decided
    timeline.briefing(eventId, { state: decision === 'none' ? 'undecided' : decision, ...(by && { by }) })
    return decision
  }

/** Listens for one language: a yes is too short to identify one of several. */
const listeningIn = (flow: Flow, language: string): Flow => ({
  ...flow,
  settings: { ...flow.settings, stt: { ...flow.settings.stt, languages: [language] } },
})

/** Asks the caller, with the flow's voice, for consent to record. The caller answers with a key or by voice; silence counts as no. */
export const askConsent = async ({ clock, openConversation }: AssistantDeps, call: FlowCall, leg: Leg, flow: Flow): Promise<boolean> => {
  const language = flow.settings.language ?? call.language
  const on = { leg, flow: listeningIn(flow, language), language: new SessionLanguage(language) }
  const { decided } = new Briefing({
    clock,
    leg,
    openConversation: (events) => openConversation(on, events),
    sessionId: call.callId,
    text: undefined,
    words: ({ recordingConsent }) => recordingConsent,
    language,
    detectsMachines: false,
    over: call.over,
  })
  return (await decided).decision === 'accepted'
}
