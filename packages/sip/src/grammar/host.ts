import { isIPv6 } from 'node:net'
import { isHostCode, malformed, readNumber } from './scan.ts'

/** The reference in brackets, in lower case. Three colons are an old mistake in the grammar (RFC 5118 §4.10) and mean two. */
const parseIpv6 = (text: string): string => {
  const address = text.slice(1, -1).toLowerCase().replace(':::', '::')
  if (address.includes('%') || !isIPv6(address)) throw malformed('Not an IPv6 address')
  return `[${address}]`
}

/** A host name, an IPv4 address or an IPv6 address in brackets; in lower case. */
export const parseHost = (text: string): string => {
  if (text.charCodeAt(0) === 91) return parseIpv6(text)
  if (text === '') throw malformed('A host is missing')
  for (let i = 0; i < text.length; i++) if (!isHostCode(text.charCodeAt(i))) throw malformed('A host has a character that it cannot have')
  return text.toLowerCase()
}

export const parsePort = (text: string): number => {
  const port = readNumber(text, 65_535)
  if (port === undefined || port === 0) throw malformed('A port is not a number from 1 to 65535')
  return port
}

/** The index after the host that begins at `from`; what follows is a port, a parameter or nothing. */
export const hostEnd = (text: string, from: number): number => {
  if (text.charCodeAt(from) === 91) {
    const close = text.indexOf(']', from)
    if (close < 0) throw malformed('An IPv6 address has no closing bracket')
    return close + 1
  }
  let i = from
  while (isHostCode(text.charCodeAt(i))) i++
  return i
}

/** For sockets and comparisons: an IPv6 address without its brackets. */
export const bareHost = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host)

/** For URIs and Via: an IPv6 address with brackets. */
export const bracketed = (address: string): string => (address.includes(':') && !address.startsWith('[') ? `[${address}]` : address)
