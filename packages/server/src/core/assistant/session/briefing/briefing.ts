import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import { systemPhrases } from '#core/speech/system-phrases/languages.ts'
import type { AnsweredBy, Conversation, ConversationObserver, Said } from '../conversation/conversation.ts'
import { readDecision } from './decision-words.ts'

/** How a target decided, or that it did not. */
export type Decision =
  | { decision: 'accepted'; by: 'key' | 'voice' }
  | { decision: 'declined'; by: 'key' | 'voice' | 'hangup' }
  /** `machine`: nobody is there who could decide. */
  | { decision: 'none'; by?: 'machine' }

export interface BriefingDeps {
  clock: Clock
  leg: Leg
  openConversation: (observer: ConversationObserver) => Conversation
  sessionId: string
  /** Undefined: only that there is a call. */
  text: string | undefined
  /** BCP 47: what the target speaks. */
  language: string
  /** A machine is looked out for. */
  detectsMachines: boolean
  /** The call is over: nothing has to be decided any more. */
  over: Promise<unknown>
}

const keys: Partial<Record<string, 'accepted' | 'declined'>> = { 1: 'accepted', 2: 'declined' }

/** Who answers a phone says something first, or waits. */
const greetingMs = 800
/** Until what the target talked over before it began is said after all. */
const retryMs = 250
/** How long an answer is waited for. */
const answerMs = 6_000
/** How often everything is said. */
const maxAttempts = 2
/** A thousand characters take a little more than a minute. */
const maxMs = 100_000
/** Below this a recogniser has guessed. */
const minConfidence = 0.5

/** What is said comes in two parts: to the first nobody has to answer. */
type Part = 'briefing' | 'question'

/**
 * The target of a transfer hears what the call is about, and is asked whether to take it. It can answer with a key at any time; with its voice
 * only after the question began, because people, and machines, say something when they answer a phone.
 */
export class Briefing {
  readonly decided: Promise<Decision>
  readonly #deps: BriefingDeps
  readonly #decide: (decision: Decision) => void
  readonly #conversation: Conversation
  readonly #stops: (() => void)[]
  /** What is being said, or was said last, and whether it has sounded. */
  #part: Part = 'briefing'
  #sounded = false
  #times = 1
  #asked = false
  /** What is being said at the other end began after the question. */
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
      return this.#deps.openConversation(this.#observer())
    } catch (error) {
      for (const stop of this.#stops) stop()
      throw error
    }
  }

  #observer(): ConversationObserver {
    const nothing = (): void => {}
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
      spoke: nothing,
      discarded: nothing, // `quiet` follows
      problem: () => (this.#sounded = true), // it would not sound another time either
      beep: nothing,
      lost: nothing, // keys are left
    }
  }

  #pressed(digit: string): void {
    const decision = keys[digit]
    if (decision) this.#end({ decision, by: 'key' })
  }

  /** Of our own words: the target's, if there is a voice for it. */
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

  /** What there is to do when nobody speaks. */
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

  /** Not to be interrupted: a target that says yes in the middle of it is understood all the same. */
  #say(part: Part): void {
    const { sessionId: session_id, text } = this.#deps
    const { callForYou, question } = systemPhrases(this.#language).warmTransfer
    const own = { text: part === 'question' ? question : callForYou, tts: { language: this.#language } }
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
    // What sounds stops at once; the rest of it need not be waited for.
    void this.#conversation.close()
    this.#decide(decision)
  }
}
