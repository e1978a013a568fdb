import type { Dial } from '#core/kernel/ports/telephony.ts'
import { formatNameAddr } from '@offhook/sip/grammar/name-addr.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import { formatUri, makeUri } from '@offhook/sip/grammar/uri.ts'

export interface Presentation {
  /** What stands behind the @ of the numbers that we write: the carrier's host, or ours for devices. */
  host: string
  /** A number as this peer wants it written. */
  write: (e164: string) => string
  /** May see a number that is withheld, and is asked to hide it (RFC 3325): carriers. */
  trusted: boolean
  /** The rescue services see the caller's number, whatever the caller wishes. */
  emergency: boolean
  /** Our identity when no number is known: the name of our account at the carrier. */
  account?: string
}

const anonymous = '"Anonymous" <sip:anonymous@anonymous.invalid>'

/** The From header and everything else that identifies the caller. Nothing in it can begin a new header: URIs are escaped, names are quoted. */
export const presentCaller = ({ caller, diversions, hops }: Dial, peer: Presentation): { from: string; headers: HeaderLines } => {
  const hidden = caller.withheld && !peer.emergency
  const user = caller.number === undefined ? peer.account : peer.write(caller.number)
  const uri = user === undefined || user === '' ? undefined : numberUri(user, peer.host)
  const shown = uri === undefined ? anonymous : formatNameAddr({ display: printable(caller.name), uri })
  const headers: [string, string][] = []
  if (peer.trusted && uri !== undefined) headers.push(['P-Asserted-Identity', formatNameAddr({ uri })])
  if (hidden) headers.push(['Privacy', 'id'])
  for (const number of diversions.slice(0, 10))
    headers.push(['Diversion', `${formatNameAddr({ uri: numberUri(peer.write(number), peer.host) })};reason=unconditional`])
  if (hops > 0 && !peer.trusted) headers.push(['X-Offhook-Hops', String(hops)])
  return { from: hidden ? anonymous : shown, headers }
}

const numberUri = (user: string, host: string): string => formatUri(makeUri({ user, host }))

/** Names come from customers: no control characters, no invisible ones, and no more than a display can show. */
const printable = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 60)
