import { bareHost, hostEnd, parseHost, parsePort } from './host.ts'
import { emptyParams, formatParams, parseParams } from './params.ts'
import type { Params } from './params.ts'
import { isDigitCode, malformed, skipBlanks, skipToken } from './scan.ts'

export interface Via {
  /** In upper case: UDP, TCP, TLS, WS, WSS. */
  transport: string
  host: string
  port: number | undefined
  params: Params
}

const slashAfter = (text: string, from: number): number => {
  const tokenEnd = skipToken(text, from)
  const slash = skipBlanks(text, tokenEnd)
  if (tokenEnd === from || text.charCodeAt(slash) !== 47) throw malformed('Via does not begin with a protocol')
  return skipBlanks(text, slash + 1)
}

/** One value. Any protocol version will do: the answer to a request of another version still has to find its way. */
export const parseVia = (text: string): Via => {
  const transportStart = slashAfter(text, slashAfter(text, skipBlanks(text, 0)))
  const transportEnd = skipToken(text, transportStart)
  const hostStart = skipBlanks(text, transportEnd)
  if (transportEnd === transportStart || hostStart === transportEnd) throw malformed('Via has no transport')
  const end = hostEnd(text, hostStart)
  const host = parseHost(text.slice(hostStart, end))
  let i = skipBlanks(text, end)
  let port: number | undefined
  if (text.charCodeAt(i) === 58) {
    const portStart = skipBlanks(text, i + 1)
    i = portStart
    while (isDigitCode(text.charCodeAt(i))) i++
    port = parsePort(text.slice(portStart, i))
  }
  return { transport: text.slice(transportStart, transportEnd).toUpperCase(), host, port, params: parseParams(text, i) }
}

export const formatVia = ({ transport, host, port, params }: Via): string =>
  `SIP/2.0/${transport} ${host}${port === undefined ? '' : `:${port}`}${formatParams(params)}`

/**
 * What the receiver of a request adds to its topmost Via: where it really came from (RFC 3261 §18.2.1, RFC 3581 §4).
 * `received` is always said when `rport` is asked for.
 */
export const stampVia = (via: Via, source: { address: string; port: number }): Via => {
  const asked = via.params['rport'] !== undefined
  const address = bareHost(source.address)
  if (!asked && bareHost(via.host) === address) return via
  const params = Object.assign(emptyParams(), via.params, { received: address })
  if (asked) params['rport'] = String(source.port)
  return { ...via, params }
}
