import type { LogEvent } from './events/log-event.ts'
import { processEvents } from './events/process.ts'
import { speechEvents } from './events/speech.ts'
import { telephoneEvents } from './events/telephone.ts'

const nothing = 'None.'
const report = 'Report it with the stack in `err`.'

/** SMS and faxes. */
const messageEvents = {
  sms_rejected: {
    level: 'warn',
    text: 'an SMS was rejected by its route',
    action: 'With `OFFHOOK_LOG_NUMBERS=on` the line says why. Settle it with the provider of the route.',
  },
  sms_recipient_unknown: {
    level: 'warn',
    text: 'an SMS arrived for a number that no account has',
    action: 'With `OFFHOOK_LOG_NUMBERS=on` the line names the number: assign it to an account, or have the provider stop routing it here.',
  },
  sms_not_sent: {
    level: 'warn',
    text: 'an SMS could not be sent; it is tried again',
    action: 'If it persists, check the SMS route and the database.',
  },
  smsc_connected: { level: 'info', text: 'connected to the message centre', action: nothing },
  smsc_disconnected: {
    level: 'warn',
    text: 'not connected to the message centre; it is tried again',
    action: 'Check `OFFHOOK_SMPP_URL` and the network if it persists.',
  },
  smsc_message_failed: {
    level: 'error',
    text: 'an SMS from the message centre could not be processed',
    action: 'Check the database; the message centre sends the message again.',
  },
  smpp_listening: { level: 'info', text: 'SMPP clients can connect', action: nothing },
  smpp_client_bound: { level: 'info', text: 'an SMPP client has logged in', action: nothing },
  smpp_client_unbound: { level: 'info', text: 'an SMPP client has left', action: nothing },
  smpp_server_failed: { level: 'error', text: 'a request of an SMPP client could not be processed', action: report },
  fax_unavailable: {
    level: 'warn',
    text: 'faxes to and from other networks are unavailable',
    action: '`why` says what is missing; `npm run setup:fax` installs it in a clone, `apt install libspandsp2 poppler-utils` on Debian.',
  },
  fax_not_sent: { level: 'error', text: 'a fax could not be sent', action: report },
  fax_failed: { level: 'error', text: 'the transmission of a fax failed', action: 'Report it with what `why` says.' },
  fax_process_died: { level: 'error', text: 'the fax process died; its faxes are over', action: 'Report it with what `why` says.' },
} as const satisfies Record<string, LogEvent>

/** All log lines of the service, by the code in the field `event`. The codes are stable; the texts may change. */
export const logEvents = { ...telephoneEvents, ...messageEvents, ...speechEvents, ...processEvents } satisfies Record<string, LogEvent>

export type LogEventCode = keyof typeof logEvents

/** Data of a single case. `err` is an error, `pii` is only written where the operator wants phone numbers in the log. */
interface LogFields {
  [field: string]: unknown
  /** Fields of every line. */
  event?: never
  level?: never
  time?: never
  msg?: never
}

export type Log = (event: LogEventCode, fields?: LogFields) => void
