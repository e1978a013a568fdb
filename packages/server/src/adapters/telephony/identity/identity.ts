import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import type { TrunkSettings } from '#core/kernel/ports/store/operate/trunks.ts'
import { parsePrivacy } from '@offhook/sip/grammar/headers.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { NameAddr } from '@offhook/sip/grammar/name-addr.ts'
import { parseNameAddr } from '@offhook/sip/grammar/name-addr.ts'
import { parseUri, type SipUri } from '@offhook/sip/grammar/uri.ts'

/** Reads what this peer writes as a number; undefined when it is none. */
export type ReadNumber = (written: string) => string | undefined

const maxNameLength = 80
const maxUserLength = 64

/** The caller of a call over a trunk. Only there P-Asserted-Identity and its forerunner are believed (RFC 3325 §8). */
export const trunkCaller = (request: Request, read: ReadNumber): CallerIdentity => {
  const party = remoteParty(request)
  const said = asserted(request) ?? party ?? request.from
  const user = userOf(said.uri)
  const anonymousFrom = isAnonymous(userOf(request.from.uri), uriOf(request.from.uri)?.host)
  const withheld = wantsPrivacy(request) || anonymousFrom || (party !== undefined && hidesParty(party))
  const number = user === undefined || isAnonymous(user) ? undefined : (read(user) ?? user)
  return { number, name: nameOf(said, user), withheld }
}

/** A device is known by its password; what it says about itself counts for nothing but the wish to stay anonymous. */
export const deviceCaller = (request: Request): CallerIdentity => {
  const { uri } = request.from
  return { number: undefined, name: '', withheld: wantsPrivacy(request) || isAnonymous(userOf(uri), uriOf(uri)?.host) }
}

/** RFC 5806: the latest first. */
export const diversionsOf = (request: Request, read: ReadNumber): string[] => {
  const users = nameAddrs(request, 'diversion').map(({ uri }) => userOf(uri))
  return users.flatMap((user) => (user === undefined ? [] : [read(user) ?? user])).slice(0, 10)
}

/** How often the call went through an Offhook before. */
export const hopsOf = (request: Request): number => {
  const written = request.header('x-offhook-hops') ?? '0'
  return /^\d{1,3}$/.test(written) ? Number(written) : 0
}

/** What was dialled. `ownUsers`: user parts that only mean ourselves, because we registered with them; To then says more. */
export const dialledUser = (request: Request, ownUsers: readonly string[] = []): string => {
  const calledParty = nameAddrs(request, 'p-called-party-id')[0] // RFC 7315 §4.2
  const candidates = [calledParty && userOf(calledParty.uri), cleanUser(request.target), userOf(request.to.uri)]
  return candidates.find((user) => user !== undefined && !ownUsers.includes(user)) ?? ''
}

/**
 * Whom a carrier calls. Where it only dials the user name that we registered with, it means the trunk's default number, or that name itself,
 * which often is a number.
 */
export const dialledOver = (
  request: Request,
  { username, defaultNumber }: Pick<TrunkSettings, 'username' | 'defaultNumber'>,
  read: ReadNumber,
): string => {
  const dialled = dialledUser(request, username === '' ? [] : [username])
  if (dialled === '' && defaultNumber !== '') return defaultNumber
  const meant = dialled === '' ? username : dialled
  return read(meant) ?? meant
}

const asserted = (request: Request): NameAddr | undefined =>
  nameAddrs(request, 'p-asserted-identity').find(({ uri }) => userOf(uri) !== undefined)

const remoteParty = (request: Request): NameAddr | undefined =>
  nameAddrs(request, 'remote-party-id').find(({ params }) => (params['party'] ?? 'calling') === 'calling')

const hidesParty = ({ params }: NameAddr): boolean => ['full', 'uri'].includes((params['privacy'] ?? '').toLowerCase())

const wantsPrivacy = (request: Request): boolean =>
  request.lines('privacy').some((line) => parsePrivacy(line).some((word) => ['id', 'user', 'full'].includes(word)))

const isAnonymous = (user: string | undefined, host = ''): boolean =>
  host.endsWith('anonymous.invalid') || ['anonymous', 'restricted', 'unavailable', 'unknown'].includes((user ?? '').toLowerCase())

/** What cannot be read is as good as not there: a call is not refused for it. */
const nameAddrs = (request: Request, header: string): NameAddr[] => {
  try {
    return request.list(header).map(parseNameAddr)
  } catch {
    return []
  }
}

const uriOf = (text: string): SipUri | undefined => {
  try {
    return parseUri(text)
  } catch {
    return undefined
  }
}

const userOf = (text: string): string | undefined => {
  const uri = uriOf(text)
  return uri && cleanUser(uri)
}

/** Without what may follow a number (RFC 3261 §19.1.6: `+4930;phone-context=…`), and nothing that could break a line or a log. */
const cleanUser = ({ user }: SipUri): string | undefined => {
  const plain = user?.split(';')[0] ?? ''
  return plain === '' || plain.length > maxUserLength || /[^\x21-\x7e]/.test(plain) ? undefined : plain
}

const nameOf = ({ display }: NameAddr, user: string | undefined): string => {
  const name = display
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxNameLength)
  return name === user ? '' : name
}
