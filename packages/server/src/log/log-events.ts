import type { LogEvent } from './events/log-event.ts'
import { messageEvents } from './events/messages.ts'
import { processEvents } from './events/process.ts'
import { speechEvents } from './events/speech.ts'
import { telephoneEvents } from './events/telephone.ts'

/** Every line that the service can log, by the code in its field `event`. The codes are stable; the texts may change. */
export const logEvents = { ...telephoneEvents, ...messageEvents, ...speechEvents, ...processEvents } satisfies Record<string, LogEvent>

export type LogEventCode = keyof typeof logEvents

/** What is known about this one case. `err` is an error, `pii` is only written where the operator wants phone numbers in the log. */
export interface LogFields {
  [field: string]: unknown
  /** These belong to every line. */
  event?: never
  level?: never
  time?: never
  msg?: never
}

/** Writes one line. */
export type Log = (event: LogEventCode, fields?: LogFields) => void
