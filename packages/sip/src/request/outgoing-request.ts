import type { DialogRequest } from '../dialog/dialog.ts'
import { buildRequest } from '../message/build.ts'
import type { Body, HeaderLines } from '../message/build.ts'
import type { Flow } from '../transport/transport.ts'
import { contactTowards } from './stack.ts'
import type { Stack } from './stack.ts'

export interface OutgoingRequest extends DialogRequest {
  headers: HeaderLines
  /** Adds our Contact. */
  contactUser?: string | undefined
  /** Goes behind it: `;expires=60`. */
  contactParams?: string | undefined
  body?: Body | undefined
  maxForwards?: number | undefined
}

const startOf = (request: OutgoingRequest, via: string, method: string, to: string): (readonly [string, string])[] => {
  const { callId, cseq, from, maxForwards, routes } = request
  const headers: (readonly [string, string])[] = [['Via', via]]
  for (const route of routes) headers.push(['Route', route])
  headers.push(['Max-Forwards', String(maxForwards ?? 70)], ['From', from], ['To', to], ['Call-ID', callId], ['CSeq', `${cseq} ${method}`])
  return headers
}

export const buildOutgoing = (stack: Stack, request: OutgoingRequest, flow: Flow, via: string, credentials: HeaderLines): Uint8Array => {
  const headers = startOf(request, via, request.method, request.to)
  if (request.contactUser !== undefined) {
    const contact = contactTowards(stack, flow, request.contactUser, request.uri.startsWith('sips:'))
    headers.push(['Contact', contact + (request.contactParams ?? '')])
  }
  if (stack.product !== '') headers.push(['User-Agent', stack.product])
  headers.push(...request.headers, ...credentials)
  return buildRequest(request.method, request.uri, headers, request.body)
}

/** ACK and CANCEL of an INVITE look like it: RFC 3261 §9.1 and §17.1.1.3. */
export const buildCompanion = (
  request: OutgoingRequest,
  via: string,
  method: 'ACK' | 'CANCEL',
  to: string = request.to,
  headers: HeaderLines = [],
): Uint8Array => buildRequest(method, request.uri, [...startOf(request, via, method, to), ...headers])
