import { secondsBounds } from './bounds.ts'
import { counter, gauge, histogram } from './family.ts'

/** Calls, phones and carriers. */
export const callFamilies = {
  offhook_calls_started_total: counter('Calls that came or were begun.'),
  offhook_calls_answered_total: counter('Calls that somebody took.'),
  offhook_calls_failed_total: counter('Calls that ended by a fault.'),
  offhook_calls_ended_total: counter('Calls that ended, by the reason that customers read, too.', 'reason'),
  offhook_calls_running: gauge('Running calls.'),
  offhook_calls: gauge('Running calls by how far they are.', 'state'),
  offhook_sessions_running: gauge('Assistants at work on a call.'),
  offhook_faxes_running: gauge('Faxes that are being sent.'),
  offhook_call_setup_seconds: histogram('From a call’s arrival until somebody rings or answers.', secondsBounds),
  offhook_registrations: gauge('Registrations of phones that have not expired, of the whole installation.'),
  offhook_trunk_up: gauge('1: calls can go out over the trunk, as this process sees it.', 'trunk', 'name'),
  offhook_trunk_calls: gauge('Running calls over the trunk, in both directions.', 'trunk', 'name'),
  offhook_sip_responses_total: counter('SIP responses, repetitions included: class is 1xx to 6xx.', 'direction', 'class'),
  offhook_sip_bans_total: counter('Sources that were banned because they guessed passwords, scanned or sent garbage.'),
  offhook_http_seconds: histogram('How long requests to the REST interface took.', secondsBounds),
  offhook_http_failures_total: counter('Requests that were answered with a status of 500 or more.'),
} as const
