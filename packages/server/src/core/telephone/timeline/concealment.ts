import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { Concealed } from '#core/kernel/ports/assistant.ts'
import { Redactor } from '#core/kernel/redaction/redactor.ts'
import type { TimelineEvent } from './pieces.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

/** Undefined: no redaction. */
export const redactorFor = ({ redact = [] }: Pick<FlowSettings, 'redact'>): Redactor | undefined =>
  redact.length > 0 ? new Redactor(redact) : undefined

type Of<K extends TimelineEvent['kind']> = Extract<TimelineEvent, { kind: K }>

/** Kinds without words. */
const wordless = new Set<TimelineEvent['kind']>(['call', 'sound', 'quality', 'voice', 'ducked', 'turn', 'briefing', 'discarded'])

/** Redacts for storage and display; the endpoint gets the original words. */
export const redactEvent = (event: TimelineEvent, redactor: Redactor): TimelineEvent => {
  if (wordless.has(event.kind)) return event
  const way = ways[event.kind] as ((notified: TimelineEvent, redactor: Redactor) => TimelineEvent) | undefined
  return way ? way(event, redactor) : (redactor.value(event) as TimelineEvent)
}

const redactSpoke = (spoke: Of<'spoke'>, redactor: Redactor): TimelineEvent => {
  const { text, completed, cutBy } = spoke
  return {
    ...spoke,
    ...(text !== undefined && { text: completed ? redactor.text(text) : redactor.begun(text) }),
    ...(cutBy && { cutBy: { ...cutBy, text: redactor.begun(cutBy.text) } }),
  }
}

const redactAttempt = (attempt: Of<'attempt'>, redactor: Redactor): TimelineEvent => {
  const { request, response, error } = attempt
  return {
    ...attempt,
    ...(request && { request: { ...request, body: redactor.body(request.body) } }),
    ...(response && { response: { ...response, body: redactor.body(response.body) } }),
    ...(error !== undefined && { error: redactor.text(error) }),
  }
}

/** Kinds that need special handling. */
const ways: { [K in TimelineEvent['kind']]?: (notified: Of<K>, redactor: Redactor) => TimelineEvent } = {
  heard: (heard, redactor) => ({ ...heard, text: heard.final ? redactor.text(heard.text) : redactor.begun(heard.text) }),
  // More text may follow.
  speaks: (speaks, redactor) => ({ ...speaks, ...(speaks.text !== undefined && { text: redactor.begun(speaks.text) }) }),
  spoke: redactSpoke,
  key: (key, redactor) => ({ ...key, digit: redactor.key(key.digit) }),
  attempt: redactAttempt,
  message: (message, redactor) => ({ ...message, body: redactor.body(message.body) }),
}

/** Replaces spoken words. */
export const hidden = '…'
/** Replaces a DTMF digit. */
const hiddenKey = '•'

const everyNumber = new Redactor(['card', 'digits'])
const cards = new Redactor(['card'])

/** Hides keys or words of a stretch, not that they occurred. Card numbers stay hidden until the end: assistants may repeat them later in the call. */
export class Concealment {
  #what: Concealed | undefined
  #askedForCard = false
  /** Set when the caller starts to speak while words are concealed: the transcript comes later. */
  #speech: 'none' | 'begun' | 'understood' = 'none'

  get now(): Concealed | undefined {
    return this.#speech === 'none' ? this.#what : 'words'
  }

  begin(what: Concealed | undefined): void {
    this.#what = what
    if (what === 'words') this.#askedForCard = true
  }

  apply(event: TimelineEvent): TimelineEvent {
    this.#follow(event)
    const { now } = this
    if (now) return redactEvent(conceal(event, now), everyNumber)
    return this.#askedForCard ? redactEvent(event, cards) : event
  }

  #follow(event: TimelineEvent): void {
    const begins = event.kind === 'voice' && event.speaking
    if (begins && this.#what === 'words') this.#speech = 'begun'
    else if (begins && this.#speech === 'understood') this.#speech = 'none'
    else if (this.#speech === 'begun' && isUnderstood(event)) this.#speech = 'understood'
  }
}

const isUnderstood = (event: TimelineEvent): boolean =>
  event.kind === 'unclear' || event.kind === 'backchannel' || (event.kind === 'heard' && event.final)

const conceal = (event: TimelineEvent, what: Concealed): TimelineEvent => {
  if (event.kind === 'key') return { ...event, digit: hiddenKey }
  return what === 'words' ? concealWords(event) : event
}

const concealWords = (event: TimelineEvent): TimelineEvent => {
  const { kind } = event
  if (kind === 'heard' || kind === 'backchannel') return { ...event, text: hidden }
  if (kind === 'unclear' && event.text !== undefined) return { ...event, text: hidden }
  if (kind === 'spoke' && event.cutBy) return { ...event, cutBy: { ...event.cutBy, text: hidden } }
  return kind === 'message' ? { ...event, body: hidden } : event
}

/** Stored form of an event that the endpoint receives in full. */
export const concealEvent = (body: AssistantEvent, what: Concealed): AssistantEvent => {
  const { type } = body
  if (type === 'dtmf_received') return { ...body, digit: hiddenKey }
  if (what === 'keys') return body
  if (type === 'user_speak') {
    const { words: _words, ...rest } = body
    return { ...rest, text: hidden }
  }
  if (type === 'user_speak_partial' || type === 'user_speak_preview' || type === 'user_backchannel') return { ...body, text: hidden }
  return type === 'user_speech_unclear' && body.best_guess !== undefined ? { ...body, best_guess: hidden } : body
}
