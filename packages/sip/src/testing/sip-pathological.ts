import { parseAuthParams } from '../digest/digest.ts'
import { limits, splitList, parseParams, SipError } from '../grammar/scan.ts'
import { parseNameAddr, parseNameAddrs, parseVia } from '../grammar/headers.ts'
import { parseMessage } from '../message/parse.ts'
import { parseSdp } from '../sdp/parse-sdp.ts'
import { parseUri } from '../grammar/uri.ts'

/** Inputs that make careless parsers slow, for tests and benchmarks. */

const usual = ['Via: SIP/2.0/TCP h', 'From: <sip:a@b>;tag=1', 'To: <sip:c@d>', 'Call-ID: x', 'CSeq: 1 OPTIONS']

const fill = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/** A message of about this many bytes whose headers are all like `name: piece piece piece…`, each of the maximum length. */
const stuffed = (name: string, lead: string, piece: string, bytes: number): Buffer => {
  const maxLength = limits.headerLength - name.length - lead.length - 4
  const lines: string[] = []
  for (let left = bytes - 200; left > 0; left -= limits.headerLength)
    lines.push(`${name}: ${lead}${fill(piece, Math.min(left, maxLength))}`)
  return Buffer.from(['OPTIONS sip:x SIP/2.0', ...usual, ...lines, '', ''].join('\r\n'))
}

const lined = (line: string, bytes: number): Buffer =>
  Buffer.from(['OPTIONS sip:x SIP/2.0', ...usual, fill(`${line}\r\n`, bytes - 200), '', ''].join('\r\n'))

/** Complete messages of a given size, as from a stream. */
export const pathologicalMessages: Readonly<Record<string, (bytes: number) => Buffer>> = {
  'folded lines': (bytes) => stuffed('Subject', '', '\r\n x', bytes),
  'continuation lines without text': (bytes) => stuffed('Subject', '', '\r\n ', bytes),
  'many contacts': (bytes) => stuffed('Contact', '', 'a:b,', bytes),
  'contacts of commas': (bytes) => stuffed('Contact', '', ',', bytes),
  'quotes in contacts': (bytes) => stuffed('Contact', '', '""', bytes),
  'backslashes in contacts': (bytes) => stuffed('Contact', '"', '\\"', bytes),
  'brackets in contacts': (bytes) => stuffed('Contact', '', '<', bytes),
  'parameters in contacts': (bytes) => stuffed('Contact', '<a:b>', ';a', bytes),
  'quoted parameters in contacts': (bytes) => stuffed('Contact', '<a:b>', ';a=""', bytes),
  'many values of Via': (bytes) => stuffed('Via', '', 'SIP/2.0/UDP h,', bytes),
  'many headers': (bytes) => lined('h:', bytes),
  'lines without colon': (bytes) => lined('x', bytes),
  'lines of blanks': (bytes) => lined('h:    ', bytes),
  'blanks at the end of lines': (bytes) => stuffed('Subject', 'x', ' ', bytes),
}

/** Values and bodies of any length, with their parsers. */
export const pathologicalValues: Readonly<Record<string, (length: number) => () => unknown>> = {
  'a list of commas': (length) => readList(fill(',', length)),
  'a list of quotes': (length) => readList(fill('"",', length)),
  'a list of open brackets': (length) => readList(fill('<,', length)),
  parameters: (length) => over(fill(';a=b', length), (text) => parseParams(text, 0)),
  'parameters with other names': (length) => over(distinct(';p', length), (text) => parseParams(text, 0)),
  'parameters with empty quotes': (length) => over(fill(';a=""', length), (text) => parseParams(text, 0)),
  'parameters with a late backslash': (length) => over(`${fill(';a="x"', length)};b="\\\\"`, (text) => parseParams(text, 0)),
  'a display name of backslashes': (length) => over(`"${fill('\\\\', length)}" <sip:a>`, parseNameAddr),
  'a display name of blanks': (length) => over(`${fill('a ', length)}<sip:a>`, parseNameAddr),
  addresses: (length) => over(fill('a:b,', length), (text) => parseNameAddrs([text])),
  'a URI of escapes': (length) => over(`sip:${fill('%41', length)}@b`, parseUri),
  'a URI of parameters': (length) => over(`sip:b${fill(';a=b', length)}`, parseUri),
  'a URI of headers': (length) => over(`sip:b?x=y${fill('&a=b', length)}`, parseUri),
  'a URI of colons': (length) => over(`sip:${fill(':', length)}`, parseUri),
  'a Via of blanks': (length) => over(`SIP/2.0/UDP${fill(' ', length)}h`, parseVia),
  credentials: (length) => over(`a=b${distinct(',p', length)}`, parseAuthParams),
}

/** Session descriptions of a given length. */
export const pathologicalSdp: Readonly<Record<string, (length: number) => () => unknown>> = {
  'session attributes that cannot be read': (length) => readSdp('a=rtpmap:\r\n', length),
  'session lines that are empty': (length) => readSdp('\r\n', length),
  'payload types': (length) => readSdp(`m=audio 1 RTP/AVP ${fill('8 ', length)}`, length),
  'words without end': (length) => readSdp(`m=audio 1 RTP/AVP 8\r\na=candidate:${fill('1 ', length)}`, length),
}

const over = (text: string, read: (text: string) => unknown) => (): unknown => read(text)

const readList = (text: string) => over(text, (list) => splitList(list, []))

const distinct = (lead: string, length: number): string => {
  let text = ''
  for (let i = 0; text.length < length; i++) text += `${lead}${i}=x`
  return text
}

const readSdp = (lines: string, length: number) => over(`v=0\r\no=- 1 1 IN IP4 h\r\n${fill(lines, length)}`.slice(0, length), parseSdp)

/** A rejection is fine; a slow one is not. */
export const tryTo = (read: () => unknown): void => {
  try {
    read()
  } catch (error) {
    if (!(error instanceof SipError)) throw error
  }
}

export const readStreamed = (bytes: Uint8Array) => (): unknown => parseMessage(bytes, { stream: true })
