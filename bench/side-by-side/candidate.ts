import type { Scope } from '#test/machine/temporary-folder.ts'
import { sippSucceeds, type Sipp } from '#test/peers/sipp.ts'

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

/** The phone behind the bridge waits here from now on. */
export const register = async (scope: Scope, { sip, login }: Candidate, phone: Sipp): Promise<void> => {
  const contact = `sip:${login.user}@${phone.address};transport=udp`
  await sippSucceeds(scope, {
    scenario: 'phone-register',
    target: sip,
    login,
    keys: { from: login.user, domain: sip, contact, expires: '600' },
  })
}
