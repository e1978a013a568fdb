import type { Scope } from '#test/machine/temporary-folder.ts'
import { sippSucceeds, type Sipp } from '#test/peers/sipp.ts'
import { inScope } from '../shared/scope.ts'

/** One of those that are compared, at work. */
export interface Candidate {
  readonly name: 'offhook' | 'asterisk'
  readonly version: string
  readonly pid: number
  /** host:port for calls and registrations. */
  readonly sip: string
  /** What is called for each row; a row that is missing is measured in another way, or not at all. */
  readonly numbers: Partial<Record<'bridged' | 'assistant' | 'play' | 'record' | 'echo', string>>
  readonly login: PhoneLogin
}

export interface PhoneLogin {
  user: string
  password: string
}

/** The address from which calls come: both know it as their carrier's. */
export const carrier = '127.0.0.2'

/** As many for both. */
export const rtpPorts = { offhook: { first: 20_000, last: 29_999 }, asterisk: { first: 40_000, last: 49_999 } }

/**
 * The phone behind the bridge waits here until the scope ends. A phone may be registered at several places, and calls would ring at those that are gone, too.
 */
export const register = async (scope: Scope, candidate: Candidate, phone: Sipp): Promise<void> => {
  await say(candidate, phone, '600')
  scope.after(() => say(candidate, phone, '0'))
}

const say = async ({ sip, login }: Candidate, phone: Sipp, expires: string): Promise<void> => {
  const contact = `sip:${login.user}@${phone.address};transport=udp`
  const keys = { from: login.user, domain: sip, contact, expires }
  await inScope((scope) => sippSucceeds(scope, { scenario: 'phone-register', target: sip, login, keys }))
}
