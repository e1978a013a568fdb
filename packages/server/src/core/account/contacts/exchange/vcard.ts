import { Problem } from '@offhook/contract/problem.ts'
import { maxValues, type Card, type ReadCard } from './card.ts'

/** Reads vCard 2.1, 3.0 and 4.0 in one pass. Skips unknown properties such as photographs. */
export function* readVcards(text: string): Generator<ReadCard> {
  let draft: Draft | undefined
  for (const { line, content, characters } of unfolded(text)) {
    const property = readProperty(content)
    const card = property?.name === 'END' && draft ? toCard(draft) : undefined
    if (card) draft = undefined
    else if (property?.name === 'BEGIN' && /^vcard$/i.test(property.value.trim())) draft = { line, numbers: [], emails: [] }
    else if (property && draft) take(draft, property)
    yield { card, characters }
  }
}

const toCard = ({ line, full, parts, company, numbers, emails }: Draft): Card => ({
  line,
  name: full || parts || company || '',
  numbers,
  emails,
})

export const writeVcards = (contacts: readonly Omit<Card, 'line'>[]): string =>
  contacts
    .map(({ name, numbers, emails }) =>
      [
        'BEGIN:VCARD',
        'VERSION:4.0',
        `FN:${escaped(name)}`,
        ...numbers.map((number) => (number.startsWith('+') ? `TEL;VALUE=uri:tel:${number}` : `TEL;VALUE=text:${escaped(number)}`)),
        ...emails.map((email) => `EMAIL:${escaped(email)}`),
        'END:VCARD',
        '',
      ]
        .map(foldedLine)
        .join('\r\n'),
    )
    .join('')

interface Draft {
  line: number
  full?: string
  parts?: string
  company?: string
  numbers: string[]
  emails: string[]
}

interface Property {
  name: string
  value: string
}

const take = (card: Draft, { name, value }: Property): void => {
  if (name === 'FN') card.full ||= plain(value)
  else if (name === 'N') card.parts ||= nameOf(value)
  else if (name === 'ORG') card.company ||= plain(splitAt(value, 1)[0] ?? '')
  else if (name === 'TEL' && card.numbers.length < maxValues) card.numbers.push(plain(value).replace(/^tel:/i, '').replace(/;.*$/s, ''))
  else if (name === 'EMAIL' && card.emails.length < maxValues) card.emails.push(plain(value).replace(/^mailto:/i, ''))
}

/** Family name, given name, further names, prefix, suffix. */
const nameOf = (value: string): string => {
  const [family = '', given = '', further = '', prefix = '', suffix = ''] = splitAt(value, 5).map(plain)
  return [prefix, given, further, family, suffix].filter((part) => part !== '').join(' ')
}

/** `item1.TEL;TYPE=cell;ENCODING=QUOTED-PRINTABLE:…` */
const readProperty = (content: string): Property | undefined => {
  const [, name, parameters = '', value = ''] =
    /^(?:[\w-]{1,60}\.)?([\w-]{1,60})((?:;[^:"]*(?:"[^"]*"[^:"]*)*)?):(.*)$/s.exec(content) ?? []
  if (name === undefined) return undefined
  const quoted = /;(?:ENCODING=)?QUOTED-PRINTABLE/i.test(parameters)
  const charset = /;CHARSET=([\w-]+)/i.exec(parameters)?.[1]
  return { name: name.toUpperCase(), value: quoted ? fromQuotedPrintable(value, charset) : value }
}

const wanted = /^(?:[\w-]{1,60}\.)?(?:BEGIN|END|FN|N|ORG|TEL|EMAIL)[;:]/i
/** Maximum characters of a line with its continuation lines. */
const maxLineLength = 32_768
/** Maximum characters of a property's name and parameters. */
const parametersLength = 1_000

interface Line {
  line: number
  /** Empty for a skipped line. */
  content: string
  characters: number
}

/**
 * Unfolds continuation lines: after a leading space or, in quoted-printable, after a trailing equals sign. Skips unknown properties of
 * any length.
 */
function* unfolded(text: string): Generator<Line> {
  let open = new OpenLine(1, false)
  let isQuoted: boolean = false
  let line = 0
  for (const content of linesOf(text)) {
    line++
    const isFolded: boolean = isQuoted || /^[ \t]/.test(content)
    if (!isFolded) yield open.closed()
    const beginning = content.slice(0, parametersLength)
    if (!isFolded) open = new OpenLine(line, wanted.test(beginning))
    const goesOn: boolean = content.endsWith('=') && (isQuoted || (!isFolded && /QUOTED-PRINTABLE/i.test(beginning)))
    open.add(content.slice(isFolded && !isQuoted ? 1 : 0, goesOn ? -1 : undefined))
    isQuoted = goesOn
    if (isFolded) yield { line, content: '', characters: content.length + 1 }
  }
  yield open.closed()
}

class OpenLine {
  readonly #line: number
  readonly #isWanted: boolean
  readonly #parts: string[] = []
  #length = 0

  constructor(line: number, isWanted: boolean) {
    this.#line = line
    this.#isWanted = isWanted
  }

  add(content: string): void {
    if (!this.#isWanted) return
    this.#parts.push(content)
    this.#length += content.length
    if (this.#length > maxLineLength)
      throw new Problem('file_unreadable', `Line ${this.#line} of the file has more than ${maxLineLength} characters.`)
  }

  closed(): Line {
    return { line: this.#line, content: this.#parts.join(''), characters: this.#length + 1 }
  }
}

/** Ended by CRLF, LF or CR. */
function* linesOf(text: string): Generator<string> {
  let [feed, carriage] = [-1, -1]
  const next = (character: string, known: number, at: number): number => {
    if (known >= at) return known
    const found = text.indexOf(character, at)
    return found < 0 ? text.length : found
  }
  for (let at = 0; at < text.length;) {
    feed = next('\n', feed, at)
    carriage = next('\r', carriage, at)
    const end = Math.min(feed, carriage)
    yield text.slice(at, end)
    at = end + (text.startsWith('\r\n', end) ? 2 : 1)
  }
}

const fromQuotedPrintable = (value: string, charset = 'utf-8'): string => {
  const bytes = Buffer.from(value, 'utf8').toString('latin1')
  const decoded = bytes.replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded === value ? value : decodedAs(Buffer.from(decoded, 'latin1'), charset)
}

/** Decodes as UTF-8 if the charset is unknown. */
const decodedAs = (bytes: Buffer, charset: string): string => {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString()
  }
}

/** Splits at unescaped semicolons, up to the limit. */
const splitAt = (value: string, limit: number): string[] => value.split(/(?<!\\);/, limit)

const plain = (value: string): string =>
  value
    .replaceAll(/\\([\\,;:nN])/g, (_, escape: string) => (/n/i.test(escape) ? ' ' : escape))
    .replaceAll(/\s+/g, ' ')
    .trim()

const escaped = (value: string): string => value.replaceAll(/[\\,;]/g, String.raw`\$&`).replaceAll(/\r\n|\n|\r/g, String.raw`\n`)

/** Folds at 75 bytes without splitting characters. */
const foldedLine = (line: string): string => {
  if (Buffer.byteLength(line) <= 75) return line
  const pieces = ['']
  let bytes = 0
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (bytes + length > 75) {
      pieces.push(' ')
      bytes = 1
    }
    pieces[pieces.length - 1] += character
    bytes += length
  }
  return pieces.join('\r\n')
}
