import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { Redactor } from '#core/kernel/redaction/redactor.ts'
import type { TimelineEvent } from './noted.ts'

/** Undefined: everything is kept as it was said. */
export const redactorFor = ({ redact = [] }: Pick<FlowSettings, 'redact'>): Redactor | undefined =>
  redact.length > 0 ? new Redactor(redact) : undefined

type Of<K extends TimelineEvent['kind']> = Extract<TimelineEvent, { kind: K }>

/** Nobody's words are in these. */
const wordless = new Set<TimelineEvent['kind']>(['call', 'sound', 'quality', 'voice', 'ducked', 'turn', 'briefing', 'discarded'])

/** As it is kept and shown: the endpoint was told what was really said. */
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

/** Where more has to be known than that there are words. */
const ways: { [K in TimelineEvent['kind']]?: (notified: Of<K>, redactor: Redactor) => TimelineEvent } = {
  heard: (heard, redactor) => ({ ...heard, text: heard.final ? redactor.text(heard.text) : redactor.begun(heard.text) }),
  // More of it may come.
  speaks: (speaks, redactor) => ({ ...speaks, ...(speaks.text !== undefined && { text: redactor.begun(speaks.text) }) }),
  spoke: redactSpoke,
  key: (key, redactor) => ({ ...key, digit: redactor.key(key.digit) }),
  attempt: redactAttempt,
  message: (message, redactor) => ({ ...message, body: redactor.body(message.body) }),
}
