import { round } from './pdf-writer.ts'

const font = (name: string): string => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`

/** Built into every PDF reader: T is regular, B is bold. */
export const builtInFonts = `/Font << /T ${font('Helvetica')} /B ${font('Helvetica-Bold')} >>`

/** Shows a line of text. `face` as in `/B 16`; coordinates in points from the lower left. */
export const showText = (face: string, x: number, y: number, text: string): string =>
  `BT ${face} Tf ${round(x)} ${round(y)} Td <${Buffer.from(winAnsi(text), 'latin1').toString('hex')}> Tj ET`

/** Characters of the built-in fonts beyond Latin-1; others become a question mark. */
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
