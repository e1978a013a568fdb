import { buildResponse } from '../message/build.ts'
import type { DialogRequest } from './dialog.ts'
import type { Response } from '../message/message.ts'
import { parseMessage } from '../message/parse.ts'

/** A response that stands for the one that never came: 408 or 503, made locally (RFC 3261 §8.1.3.1). */
export const localResponse = (status: number, request: Omit<DialogRequest, 'uri' | 'routes'>): Response => {
  const bytes = buildResponse(status, [
    ['Via', 'SIP/2.0/UDP nobody.invalid'],
    ['From', request.from],
    ['To', request.to],
    ['Call-ID', request.callId],
    ['CSeq', `${request.cseq} ${request.method}`],
  ])
  const message = parseMessage(bytes)
  if (message.kind !== 'response') throw new TypeError('A response is a response')
  return message
}
