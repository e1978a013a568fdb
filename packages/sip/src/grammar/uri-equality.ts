import type { Params } from './params.ts'
import type { SipUri } from './uri.ts'

/** These matter even when only one of the two has them. */
const decisive = ['user', 'ttl', 'method', 'maddr']

const sameIgnoringCase = (a: string | undefined, b: string | undefined): boolean => a?.toLowerCase() === b?.toLowerCase()

const sameSipParams = (a: Params, b: Params): boolean =>
  decisive.every((name) => sameIgnoringCase(a[name], b[name])) &&
  Object.keys(a).every((name) => b[name] === undefined || sameIgnoringCase(a[name], b[name]))

const sameInAll = (a: Params, b: Params): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((name) => sameIgnoringCase(a[name], b[name]))

/** RFC 3261 §19.1.4: the comparison of a URI with another; for tel RFC 3966 §4. */
export const sameUri = (a: SipUri, b: SipUri): boolean => {
  if (a.scheme !== b.scheme) return false
  if (a.scheme === 'tel') return sameIgnoringCase(a.user, b.user) && sameInAll(a.params, b.params)
  const sameAddress = a.user === b.user && a.password === b.password && a.host.toLowerCase() === b.host.toLowerCase() && a.port === b.port
  return sameAddress && sameSipParams(a.params, b.params) && sameInAll(a.headers, b.headers)
}
