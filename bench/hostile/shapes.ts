/** Repeats a fragment up to `bytes`. */
export const filled = (piece: string, bytes: number): string => piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(piece))))

/** Generated one at a time: large ones do not fit into memory together. */
export type Shapes = Iterable<readonly [shape: string, text: string]>

/** Long texts of one token or many, with characters that patterns look for. */
export const textShapes = (bytes: number): Shapes => Object.entries(pieces).map(([name, piece]) => [name, filled(piece, bytes)] as const)

const pieces = {
  'long token': 'x',
  capitals: 'A',
  digits: '1',
  'digits in groups': '1 ',
  decimals: '1,000.',
  times: '12:30 ',
  dates: '1.1.2024 ',
  money: '€5-',
  'phone numbers': '+49 (211) 63-',
  'many tokens': 'ab ',
  'short sentences': 'a. ',
  abbreviations: 'z.B. ',
  spaces: ' ',
  'line breaks': '\n',
  'tabs and spaces': '\t ',
  escapes: '\\\\',
  quotes: '"',
  angles: '<',
  'open tags': '<a>',
  'tag attributes': '<a b="c" ',
  entities: '&amp;',
  ampersands: '&',
  brackets: '[(',
  links: '[a](b',
  stars: '*_',
  hyphens: 'a-',
  dots: '.',
  commas: ',',
  colons: ':',
  slashes: 'a/',
  'at signs': 'a@b.',
  addresses: 'http://a.b/',
  roman: 'XIV ',
  accents: 'ä\u0308',
  emoji: '👨‍👩‍👧',
  percent: '5 %',
  'equals signs': '=',
  hashes: '# ',
  bars: '|',
  backquotes: '`',
  'number words': 'one two three ',
  'spelled letters': 'A B C ',
}

/** JSON that is deep, wide, of one long token or many, or of escapes. */
export function* jsonShapes(bytes: number): Generator<readonly [shape: string, text: string]> {
  const inside = (open: string, piece: string, last: string, close: string): string =>
    `${open}${filled(piece, bytes - open.length - last.length - close.length)}${last}${close}`
  yield ['deep', filled('[', bytes / 2) + filled(']', bytes / 2)]
  yield ['deep objects', `${filled('{"a":', bytes - bytes / 6)}1${'}'.repeat(Math.floor((bytes - bytes / 6) / 5))}`]
  yield ['wide array', inside('[', '0,', '0', ']')]
  yield ['wide objects', inside('[', '{},', '{}', ']')]
  yield ['empty strings', inside('[', '"",', '""', ']')]
  yield ['many keys', `{${Array.from({ length: Math.floor(bytes / 11) }, (_, at) => `"${at.toString(36).padStart(6, 'k')}":0`).join(',')}}`]
  yield ['long token', inside('"', 'x', '', '"')]
  yield ['repeated escapes', inside('"', String.raw`\\`, '', '"')]
  yield ['unicode escapes', inside('"', String.raw`\u00e4`, '', '"')]
  yield ['long number', filled('1', bytes)]
  yield ['unclosed', inside('[', '"a', '', '')]
  yield ['no JSON', filled('x', bytes)]
}

/** XML that is deep, wide, of long tokens, many attributes or entities. */
export const xmlShapes = (bytes: number, root: string): Shapes => {
  const inside = (piece: string): string => `<${root}>${filled(piece, bytes - 2 * root.length - 5)}</${root}>`
  return Object.entries({
    deep: filled('<a>', bytes),
    wide: inside('<a/>'),
    'long text': inside('x'),
    'many entities': inside('&amp;'),
    'unknown entities': inside('&a;'),
    'long name': `<${root}><${filled('a', bytes - 20)}/></${root}>`,
    'long attribute': `<${root} a="${filled('x', bytes - 30)}"/>`,
    'many attributes': `<${root} ${Array.from({ length: Math.floor(bytes / 10) }, (_, at) => `a${at.toString(36)}="b"`).join(' ')}/>`,
    comment: `<${root}><!-- ${filled('- ', bytes - 30)}--></${root}>`,
    cdata: `<${root}><![CDATA[${filled(']', bytes - 30)}]]></${root}>`,
    doctype: `<!DOCTYPE a [${filled('<!ENTITY a "b">', bytes - 30)}]><${root}/>`,
  })
}
