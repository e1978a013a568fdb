import { authorizer, type DigestClient } from '../digest/digest-client.ts'
import type { HeaderLines } from '../message/build.ts'
import { localResponse } from '../dialog/dialog.ts'
import type { Response } from '../message/message.ts'
import { parseNameAddr } from '../grammar/headers.ts'
import { Sending } from './sending.ts'
import type { Stack } from './stack.ts'
import { newCallId, newTag } from '../transaction/transactions.ts'
import type { Flow } from '../transport/transport.ts'
import { parseUri } from '../grammar/uri.ts'

/** An outgoing request outside of dialogs: OPTIONS, REGISTER, MESSAGE. */
export interface RequestDraft {
  method: string
  /** The Request-URI. */
  uri: string
  /** Header value without tag. Default: the Request-URI in angle brackets. */
  to?: string
  /** Header value without tag. */
  from: string
  routes?: readonly string[]
  headers?: HeaderLines
  contentType?: string
  body?: string
  /** Adds our Contact with this user part. */
  contactUser?: string
  /** Appended to that Contact: `;expires=60`. */
  contactParams?: string
  /** Answers challenges; shared by all requests to the same peer. */
  digest?: DigestClient | undefined
  flow?: Flow | undefined
  /** REGISTER keeps these across refreshes; `cseq` is the first one used. */
  callId?: string
  cseq?: number
}

/** Resolves with the final response; a local 408 on timeout, a local 503 if no address is reachable. */
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
