import { hasForeignBody, type Request } from '../message/message.ts'
import type { HeaderLines } from '../message/build.ts'
import { sessionMethods } from '../request/stack.ts'

/** Existing methods, whether or not we support them. */
const knownMethods = new Set([...sessionMethods, 'OPTIONS', 'REGISTER', 'SUBSCRIBE', 'PUBLISH', 'MESSAGE'])
/** Methods whose body is SDP, or empty. */
const describing = new Set(['INVITE', 'UPDATE', 'PRACK'])

export interface SipRejection {
  status: number
  headers: HeaderLines
}

export interface Capabilities {
  methods: ReadonlySet<string>
  extensions: ReadonlySet<string>
}

const acceptsSdp = (request: Request): boolean => {
  if (request.header('accept') === undefined) return true
  const types = request.list('accept').map((type) => type.split(';', 1)[0]?.trim().toLowerCase())
  return types.some((type) => type === 'application/sdp' || type === 'application/*' || type === '*/*' || type?.startsWith('multipart/'))
}

/** Checks for every request, inside and outside of dialogs: RFC 3261 §8.2.1 to §8.2.3. */
export const rejectionOf = (request: Request, capabilities: Capabilities): SipRejection | undefined => {
  if (!capabilities.methods.has(request.method)) {
    return { status: knownMethods.has(request.method) ? 405 : 501, headers: [['Allow', [...capabilities.methods].join(', ')]] }
  }
  const unknown =
    request.header('require') === undefined ? [] : request.list('require').filter((tag) => !capabilities.extensions.has(tag.toLowerCase()))
  if (unknown.length > 0) return { status: 420, headers: [['Unsupported', unknown.join(', ')]] }
  if (describing.has(request.method) && hasForeignBody(request)) {
    return {
      status: 415,
      headers: [
        ['Accept', 'application/sdp'],
        ['Accept-Encoding', 'identity'],
      ],
    }
  }
  if (request.method === 'INVITE' && !acceptsSdp(request)) return { status: 406, headers: [] }
  return undefined
}

/** Max-Forwards is used up (RFC 7332): a back-to-back user agent would otherwise forward loops. */
export const hasNoHopsLeft = (request: Request): boolean => {
  const value = request.header('max-forwards')
  return value !== undefined && Number(value) === 0
}
