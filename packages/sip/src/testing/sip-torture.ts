import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Request, type Response, BrokenMessage } from '../message/message.ts'
import { parseMessage } from '../message/parse.ts'

/**
 * Messages for each kind of trouble in RFC 4475 and RFC 5118, written for this project; section numbers are in the names. Cases about
 * methods, dialogs and users are checked only as far as parsing.
 */
type Either = Omit<Request, 'kind'> & Omit<Response, 'kind'>
type Verdict = number | 'dropped' | ((message: Either) => void)

export interface Trouble {
  what: string
  text: string
  verdict: Verdict
}

export const offer = 'v=0\r\no=- 1 1 IN IP4 192.0.2.40\r\ns=-\r\nc=IN IP4 192.0.2.40\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8\r\n'

/** The default headers of a request, some changed, omitted (undefined) or added; `lines` follow verbatim. */
export const message = (
  method: string,
  changes: Record<string, string | undefined> = {},
  { start = `${method} sip:desk@pbx.example SIP/2.0`, lines = [], body = '' }: { start?: string; lines?: string[]; body?: string } = {},
): string => {
  const headers = {
    Via: 'SIP/2.0/UDP 192.0.2.40:5066;branch=z9hG4bK.torture',
    'Max-Forwards': '70',
    From: '<sip:caller@carrier.example>;tag=ft',
    To: '<sip:desk@pbx.example>',
    'Call-ID': 'torture@192.0.2.40',
    CSeq: `21 ${method}`,
    'Content-Length': String(Buffer.byteLength(body)),
    ...changes,
  }
  const all = Object.entries(headers).filter(([, value]) => value !== undefined)
  return [start, ...all.map(([name, value]) => `${name}: ${value}`), ...lines, '', body].join('\r\n')
}

const read = (text: string): Either => parseMessage(Buffer.from(text)) as unknown as Either

export const judge = ({ what, text, verdict }: Trouble): void => {
  test(what, () => {
    if (typeof verdict === 'function') return verdict(read(text))
    assert.throws(
      () => read(text),
      (error) => {
        assert.ok(error instanceof BrokenMessage)
        if (verdict === 'dropped') assert.equal(error.received, undefined)
        else assert.deepEqual([error.status, error.received?.kind], [verdict, 'request'])
        return true
      },
    )
  })
}
