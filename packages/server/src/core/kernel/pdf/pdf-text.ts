import { round } from './pdf-writer.ts'

const font = (name: string): string => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`

/** Those that every reader has: T for text, B for what is bold. */
export const builtInFonts = `/Font << /T ${font('Helvetica')} /B ${font('Helvetica-Bold')} >>`

/** A line of text; `face` as `/B 16`, places in points from the lower left. */
export const showText = (face: string, x: number, y: number, text: string): string =>
  `BT ${face} Tf ${round(x)} ${round(y)} Td <${Buffer.from(winAnsi(text), 'latin1').toString('hex')}> Tj ET`

/** What the built-in fonts have beyond Latin-1, and a question mark for the rest. */
const beyond: Partial<Record<string, string>> = {
  '€': '\x80',
  '…': '\x85',
  '–': '\x96',
  '—': '\x97',
  '’': '\x92',
  '“': '\x93',
  '”': '\x94',
  '„': '\x84',
  '−': '-',
  '\u202f': ' ',
}

const winAnsi = (text: string): string => text.normalize('NFC').replaceAll(/[^ -~\u00a0-\u00ff]/gu, (letter) => beyond[letter] ?? '?')
