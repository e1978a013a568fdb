import { limits } from '@offhook/sip/grammar/scan.ts'
import { sdpOf, type Request } from '@offhook/sip/message/message.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'
import { pathologicalMessages, pathologicalSdp, pathologicalValues, readStreamed, tryTo } from '@offhook/sip/testing/sip-pathological.ts'
import { decodePdu } from '@offhook/smpp/pdu/decode.ts'
import { PduFramer } from '@offhook/smpp/pdu/framing.ts'
import { limits as smppLimits } from '@offhook/smpp/pdu/octets.ts'
import { glanceAt, isScanner } from '#adapters/telephony/guard/first-glance.ts'
import { textOf } from '#adapters/telephony/message/message-text.ts'
import type { Entry } from './entry.ts'
import { filled } from './shapes.ts'

type Makers = Readonly<Record<string, (size: number) => () => unknown>>

const made = (makers: Makers, size: number): Entry['shapes'] =>
  Object.entries(makers).map(([shape, make]) => [shape, () => tryTo(make(size))] as const)

/** SIP, session descriptions and SMPP, parsed on the main thread. */
export const telephonyEntries = (): Entry[] => [
  {
    name: 'SIP message over a stream',
    bytes: limits.streamBytes,
    shapes: Object.entries(pathologicalMessages).map(
      ([shape, make]) => [shape, () => tryTo(readStreamed(make(limits.streamBytes)))] as const,
    ),
  },
  {
    name: 'SIP datagram, first glance',
    bytes: limits.datagramBytes,
    shapes: Object.entries(pathologicalMessages).map(([shape, make]) => {
      const message = make(limits.datagramBytes)
      return [shape, () => [glanceAt(message), isScanner(message)]] as const
    }),
  },
  { name: 'SIP header', bytes: limits.streamBytes, shapes: made(pathologicalValues, limits.streamBytes) },
  {
    name: 'SIP body: parts, text',
    bytes: limits.streamBytes,
    shapes: Object.entries(bodies).map(([shape, [type, body]]) => {
      const message = withBody(type, body)
      return [shape, () => [sdpOf(message), textOf(message)]] as const
    }),
  },
  { name: 'session description (SDP)', bytes: limits.sdpBytes, shapes: made(pathologicalSdp, limits.sdpBytes) },
  {
    name: 'SMPP',
    bytes: smppLimits.pduBytes,
    shapes: Object.entries(pdus).map(([shape, bytes]) => [shape, () => readPdus(bytes)] as const),
  },
]

const bodyBytes = limits.streamBytes - 500
const longestText = 6_400
const bodies: Record<string, [type: string, body: string]> = {
  'many parts': ['multipart/mixed;boundary=b', filled('\r\n--b', bodyBytes)],
  'parts with a head': ['multipart/mixed;boundary=b', filled('\r\n--b\r\nc:x\r\n\r\n', bodyBytes)],
  'lines in a head': ['multipart/mixed;boundary=b', `--b\r\n${filled('c:x\r\n', bodyBytes - 10)}\r\n`],
  'colons in a head': ['multipart/mixed;boundary=b', `--b\r\nc:${filled(':', bodyBytes - 10)}\r\n\r\n`],
  'a long boundary': [`multipart/mixed;boundary=${filled('-', 4_000)}`, filled('-', bodyBytes - 4_000)],
  'no part': ['multipart/mixed;boundary=b', filled('\r\n-', bodyBytes)],
  letters: ['text/plain', filled('x', longestText)],
  blanks: ['text/plain', filled(' ', longestText)],
  emoji: ['text/plain', filled('👨‍👩‍👧', longestText)],
  'half a letter': ['text/plain', filled('\u00e4', longestText - 1)],
}

const withBody = (type: string, body: string): Request => {
  const lines = ['Via: SIP/2.0/TCP h', 'From: <sip:a@b>;tag=1', 'To: <sip:c@d>', 'Call-ID: x', 'CSeq: 1 MESSAGE', `Content-Type: ${type}`]
  const length = Buffer.byteLength(body)
  const bytes = Buffer.from(['MESSAGE sip:x SIP/2.0', ...lines, `Content-Length: ${length}`, '', body].join('\r\n'))
  return parseMessage(bytes, { stream: true }) as Request
}

const pdu = (command: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(16)
  head.writeUInt32BE(16 + body.length, 0)
  head.writeUInt32BE(command, 4)
  return Buffer.concat([head, body])
}

const submit = 4
const room = smppLimits.pduBytes - 16
const pdus: Record<string, Buffer> = {
  zeros: pdu(submit, Buffer.alloc(room)),
  'text without an end': pdu(submit, Buffer.alloc(room, 'x')),
  'many parameters': pdu(submit, Buffer.concat([Buffer.alloc(33), Buffer.alloc(room - 33, Buffer.from('02040000', 'hex'))])),
  'many small ones': Buffer.concat(Array.from({ length: 1_000 }, () => pdu(0x15, Buffer.alloc(0)))),
}

const readPdus = (bytes: Buffer): void => {
  const framer = new PduFramer()
  framer.push(bytes)
  for (let one = framer.next(); one; one = framer.next()) decodePdu(one)
}
