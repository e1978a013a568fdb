import type { Scope } from '#test/machine/temporary-folder.ts'
import { sippSucceeds, type Sipp } from '#test/peers/sipp.ts'
import { inScope } from '../shared/scope.ts'

/** Running PBX under comparison. */
export interface Candidate {
  readonly name: 'offhook' | 'asterisk'
  readonly version: string
  readonly pid: number
  /** host:port for calls and registrations. */
  readonly sip: string
  /** Number to call for each row; rows without one are measured differently or not at all. */
  readonly numbers: Partial<Record<'bridged' | 'assistant' | 'play' | 'record' | 'echo', string>>
  readonly login: PhoneLogin
}

export interface PhoneLogin {
  user: string
  password: string
}

/** Source address of calls: both candidates know it as their carrier. */
export const carrier = '127.0.0.2'

/** Same number of ports for both. */
export const rtpPorts = { offhook: { first: 20_000, last: 29_999 }, asterisk: { first: 40_000, last: 49_999 } }

/**
 * Registers the phone behind the bridge until the scope ends. A phone may have several registrations, and calls would also ring at stale ones.
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
