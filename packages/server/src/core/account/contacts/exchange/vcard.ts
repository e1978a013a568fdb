import type { Card } from './card.ts'

/** Reads vCard 2.1, 3.0 and 4.0. What it does not know, such as photographs, is passed over. */
export const readVcards = (text: string): Card[] => {
  const cards: Card[] = []
  let card: Draft | undefined
  for (const { line, content } of unfolded(text)) {
    const property = readProperty(content)
    if (property?.name === 'BEGIN' && /^vcard$/i.test(property.value.trim())) card = { line, numbers: [], emails: [] }
    else if (property?.name === 'END' && card) {
      cards.push({ line: card.line, name: card.full || card.parts || card.company || '', numbers: card.numbers, emails: card.emails })
      card = undefined
    } else if (property && card) take(card, property)
  }
  return cards
}

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
  else if (name === 'ORG') card.company ||= plain(splitAt(value, ';')[0] ?? '')
  else if (name === 'TEL') card.numbers.push(plain(value).replace(/^tel:/i, '').replace(/;.*$/s, ''))
  else if (name === 'EMAIL') card.emails.push(plain(value).replace(/^mailto:/i, ''))
}

/** Family name, given name, further names, prefix, suffix. */
const nameOf = (value: string): string => {
  const [family = '', given = '', further = '', prefix = '', suffix = ''] = splitAt(value, ';').map(plain)
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

/** Lines that go on in the next one are put together: after a space, or, in what is quoted-printable, after a trailing equals sign. */
const unfolded = (text: string): { line: number; content: string }[] => {
  const lines: { line: number; parts: string[]; open: boolean }[] = []
  for (const [at, content] of text.split(/\r\n|\n|\r/).entries()) {
    const last = lines.at(-1)
    if (last?.open) {
      last.open = content.endsWith('=')
      last.parts.push(last.open ? content.slice(0, -1) : content)
    } else if (last && /^[ \t]/.test(content)) last.parts.push(content.slice(1))
    else {
      const open = content.endsWith('=') && /QUOTED-PRINTABLE/i.test(content)
      lines.push({ line: at + 1, parts: [open ? content.slice(0, -1) : content], open })
    }
  }
  return lines.map(({ line, parts }) => ({ line, content: parts.join('') }))
}

const fromQuotedPrintable = (value: string, charset = 'utf-8'): string => {
  const bytes = Buffer.from(value, 'utf8').toString('latin1')
  const decoded = bytes.replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded === value ? value : decodedAs(Buffer.from(decoded, 'latin1'), charset)
}

/** In whatever it is written if it says nothing that is known. */
const decodedAs = (bytes: Buffer, charset: string): string => {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString()
  }
}

/** At separators that are not escaped. */
const splitAt = (value: string, separator: ';'): string[] => value.split(new RegExp(`(?<!\\\\)${separator}`))

const plain = (value: string): string =>
  value
    .replaceAll(/\\([\\,;:nN])/g, (_, escape: string) => (/n/i.test(escape) ? ' ' : escape))
    .replaceAll(/\s+/g, ' ')
    .trim()

const escaped = (value: string): string => value.replaceAll(/[\\,;]/g, String.raw`\$&`).replaceAll(/\r\n|\n|\r/g, String.raw`\n`)

/** No line is longer than 75 bytes; characters stay whole. */
const foldedLine = (line: string): string => {
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
