import { authorizer } from '../digest/authorize.ts'
import type { HeaderLines } from '../message/build.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import { localResponse } from '../dialog/local-response.ts'
import type { Response } from '../message/message.ts'
import { parseNameAddr } from '../grammar/name-addr.ts'
import { Sending } from './sending.ts'
import type { Stack } from './stack.ts'
import { newCallId, newTag } from '../transaction/tokens.ts'
import type { Flow } from '../transport/transport.ts'
import { parseUri } from '../grammar/uri.ts'

/** A request that goes out outside of dialogs: OPTIONS, REGISTER, MESSAGE. */
export interface RequestDraft {
  method: string
  /** The Request-URI. */
  uri: string
  /** Header value without tag; the Request-URI in angle brackets unless given. */
  to?: string
  /** Header value without tag. */
  from: string
  routes?: readonly string[]
  headers?: HeaderLines
  contentType?: string
  body?: string
  /** Adds our Contact with this user part. */
  contactUser?: string
  /** Goes behind that Contact: `;expires=60`. */
  contactParams?: string
  /** Answers challenges; one for all requests to the same peer. */
  digest?: DigestClient | undefined
  flow?: Flow | undefined
  /** REGISTER keeps these over its refreshes; `cseq` is the first that is used. */
  callId?: string
  cseq?: number
}

/** Resolves with the final response; with a local 408 when none came and a local 503 when no address could be reached. */
export const sendOutside = (stack: Stack, draft: RequestDraft): Promise<Response> => {
  const { digest, flow, method, routes = [], uri } = draft
  let cseq = draft.cseq ?? 1
  const request = {
    method,
    uri,
    routes,
    from: `${draft.from};tag=${newTag()}`,
    to: draft.to ?? `<${uri}>`,
    callId: draft.callId ?? newCallId(),
    cseq,
    contactUser: draft.contactUser,
    contactParams: draft.contactParams,
    headers: draft.headers ?? [],
    body: draft.contentType === undefined ? undefined : { type: draft.contentType, content: draft.body ?? '' },
  }
  const options = {
    hop: parseUri(routes[0] === undefined ? uri : parseNameAddr(routes[0]).uri),
    flow,
    failover: true,
    authorizer: digest && authorizer(digest),
    renumber: () => ++cseq,
  }
  return new Promise((resolve) => {
    const sending = new Sending(stack, request, options, {
      response: (response) => {
        if (response.status >= 200 && response.status < 300) digest?.succeeded(response)
        if (response.status >= 200) resolve(response)
      },
      failed: (status) => resolve(localResponse(status, { ...request, cseq })),
    })
    sending.start()
  })
}
