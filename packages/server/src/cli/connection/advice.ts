import type { ErrorCode } from '@offhook/contract/errors.ts'

/** What the user can do about an error of the service. */
const advice: Partial<Record<ErrorCode, string>> = {
  invalid_token: 'Use one of this service: --token, OFFHOOK_TOKEN, or data/first-run.json of its first start.',
  callee_invalid: 'Write it as you would dial it: +4930123456, 030123456, or an extension such as e1.',
  number_invalid: 'Write it with its country: +4930123456.',
  caller_invalid: '--device takes the id of one of your phones, such as e0. The console lists them under Devices.',
  caller_not_reachable:
    'Register your phone first: docs/guides/sip-phone.md, with the SIP account of data/first-run.json. Without a phone: offhook say, or Talk in the console.',
  outbound_not_enabled: 'The operator enables them: log in to the console as the operator, and open Accounts.',
  insufficient_funds: 'The operator tops it up: log in to the console as the operator, and open Accounts.',
}

export const adviceFor = (code: string | undefined): string => {
  const what = advice[code as ErrorCode]
  return what === undefined ? '' : `\n${what}`
}
