import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCode } from '#test/http/with-code.ts'
import { readCsv, writeCsvRow } from '#core/kernel/csv.ts'
import type { Card, ReadCard } from './card.ts'
import { readContactCsv, writeCsvContacts, writeCsvHead } from './contact-csv.ts'
import { readVcards, writeVcards } from './vcard.ts'

const cardsOf = (read: Iterable<ReadCard>): Card[] => [...read].flatMap(({ card }) => card ?? [])
const vcards = (text: string): Card[] => cardsOf(readVcards(text))
const csvCards = (...given: Parameters<typeof readContactCsv>): Card[] => cardsOf(readContactCsv(...given))
const rows = (text: string) => [...readCsv(text)].filter(({ cells }) => cells.length > 0).map(({ line, cells }) => ({ line, cells }))

test('reads vCards of every version', () => {
  const old = [
    'BEGIN:VCARD',
    'VERSION:2.1',
    'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=',
    '=C3=BCrgen;;Dr.;',
    'TEL;CELL:0151 123',
    'PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQ=',
    '',
    'END:VCARD',
  ].join('\r\n')
  const three =
    'begin:vcard\nversion:3.0\nFN:Zoë\\, Inc\\; Sons\nitem1.TEL;type=WORK;type=pref:+49 (211) 1\nTEL;TYPE="a:b":22\nEMAIL;TYPE=INTERNET:z@ex\n ample.org\nend:vcard\n'
  const four = 'BEGIN:VCARD\r\nVERSION:4.0\r\nORG:Example GmbH;Sales\r\nTEL;VALUE=uri:tel:+49-30-1;ext=5\r\nEND:VCARD\r\n'
  assert.deepEqual(vcards(old + '\r\n' + three + four), [
    { line: 1, name: 'Dr. Jürgen Müller', numbers: ['0151 123'], emails: [] },
    { line: 9, name: 'Zoë, Inc; Sons', numbers: ['+49 (211) 1', '22'], emails: ['z@example.org'] },
    { line: 17, name: 'Example GmbH', numbers: ['+49-30-1'], emails: [] },
  ])
  const latin = 'BEGIN:VCARD\nFN;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:Gr=FC=DFe\nEND:VCARD'
  assert.equal(vcards(latin)[0]?.name, 'Grüße')
  assert.equal(vcards('BEGIN:VCARD\nFN;CHARSET=nowhere;QUOTED-PRINTABLE:a=20b\nEND:VCARD')[0]?.name, 'a b')
})

test('skips input without a complete vCard, and unknown properties', () => {
  for (const odd of ['', 'BEGIN:VCARD\nFN:x', 'END:VCARD\nEND:VCARD', '='.repeat(1_000_000), '\r'.repeat(50_000), ' \n'.repeat(50_000)])
    assert.deepEqual(vcards(odd), [])
  const photo = `BEGIN:VCARD\nFN:Zoë\nPHOTO;ENCODING=b:${'A'.repeat(500_000)}\n ${'A'.repeat(500_000)}\nEND:VCARD\n`
  assert.deepEqual(vcards(photo), [{ line: 1, name: 'Zoë', numbers: [], emails: [] }])
})

test('rejects a vCard line that is too long and names its line number', () => {
  const refused = withCode('file_unreadable', '2', '32768')
  for (const long of ['\\'.repeat(4_900_000), '\\;'.repeat(500_000), `x\n${' y\n'.repeat(40_000)}`, 'x'.repeat(4_900_000)])
    assert.throws(() => vcards(`BEGIN:VCARD\nFN:${long}\nEND:VCARD`), refused)
  assert.throws(() => vcards(`BEGIN:VCARD\nTEL${';"'.repeat(200_000)}:1\nEND:VCARD`), refused)
})

test('counts the characters of a file without contacts', () => {
  const characters = (read: Iterable<ReadCard>): number => [...read].reduce((sum, one) => sum + one.characters, 0)
  assert.ok(characters(readVcards('\n'.repeat(100_000))) >= 100_000)
  assert.ok(characters(readContactCsv(`Name\n${'\n'.repeat(100_000)}`, undefined)) >= 100_000)
})

const people = [
  { name: 'Jürgen "Jo" Müller; Söhne, \\ Co', numbers: ['+492111', '44*'], emails: ['a@example.org', 'b@example.org'] },
  { name: '=1+1', numbers: [], emails: [] },
  { name: `Long ${'ä'.repeat(120)}`, numbers: ['+4930'], emails: [] },
]

test('round-trips contacts through vCard and CSV', () => {
  const cards = writeVcards(people)
  for (const line of cards.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line)
  const withoutLine = (list: Card[]) => list.map(({ name, numbers, emails }) => ({ name, numbers, emails }))
  assert.deepEqual(withoutLine(vcards(cards)), people)
  const columns = { numbers: 2, emails: 2 }
  const csv = writeCsvHead(columns) + writeCsvContacts(people, columns)
  assert.deepEqual(withoutLine(csvCards(csv, undefined)), people)
  assert.match(csv, /^\uFEFFName,Phone 1,Phone 2,E-mail 1,E-mail 2\r\n/)
  assert.match(csv, /\r\n'=1\+1,,,,\r\n/)
})

test('guards cells with a plus unless they are phone numbers', () => {
  const formulas = ["+1+cmd|'/C calc'!A0", '+49211-1', '+49(0)211', '+', '=1', '-1', '@a', '＝1', '＋1', '\r=1', '\n=1']
  for (const cell of formulas) assert.match(writeCsvRow([cell]), /^"?'/, cell)
  assert.equal(writeCsvRow(['+4930123', '+49 30 123', 'a+b', "D'Arc"]), "+4930123,+49 30 123,a+b,D'Arc\r\n")
})

test('guards formulas behind semicolons and line breaks inside a cell', () => {
  assert.equal(writeCsvRow(['x;=1+1;y', 'a\n- b', 'a; b']), `"x;'=1+1;y","a\n'- b","a; b"\r\n`)
})

test('guards cells that a spreadsheet would compute', () => {
  assert.equal(writeCsvRow(['=1+1', '@x', '-2', '\tx', '+49211', '+cmd', 'a,"b"', '']), `'=1+1,'@x,'-2,"'\tx",+49211,'+cmd,"a,""b""",\r\n`)
})

test('detects columns by the headers of other address books', () => {
  const google =
    'Name,Given Name,Family Name,Organization 1 - Name,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value\nAda L,Ada,L,X,* Home,a@x.org ::: b@x.org,Mobile,+49 1 ::: +49 2\n'
  assert.deepEqual(csvCards(google, undefined), [{ line: 2, name: 'Ada L', numbers: ['+49 1', '+49 2'], emails: ['a@x.org', 'b@x.org'] }])
  const outlook =
    '"Vorname";"Nachname";"Firma";"Telefon geschäftlich";"Mobiltelefon";"E-Mail-Adresse";"E-Mail-Typ"\r\n"Eva";"Ö";"";"0211 1";"0151 2";"e@x.de";"SMTP"\r\n"";"";"Acme";"";"";"";""\r\n'
  assert.deepEqual(csvCards(outlook, undefined), [
    { line: 2, name: 'Eva Ö', numbers: ['0211 1', '0151 2'], emails: ['e@x.de'] },
    { line: 3, name: 'Acme', numbers: [], emails: [] },
  ])
  assert.deepEqual(csvCards('x\ty\nA\t1\n', ['NAME', 'NUMBER']), [{ line: 2, name: 'A', numbers: ['1'], emails: [] }])
  assert.throws(() => csvCards('colour,size\nred,9\n', undefined), { status: 400 })
})

test('reports the first line of each row and tolerates stray quotes', () => {
  assert.deepEqual(rows('a,b\r\n"x\r\ny",2\r\n\r\n3,"4""5"'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['x\r\ny', '2'] },
    { line: 5, cells: ['3', '4"5'] },
  ])
  assert.deepEqual(rows('a,b\n"open,1\n')[1], { line: 2, cells: ['"open', '1'] })
  assert.deepEqual(rows('"a"b,"c" ,"d')[0]?.cells, ['"a"b', 'c', '"d'])
  for (const [hostile, ...named] of [
    ['"'.repeat(2_000_000), '1', '32767'],
    [`a\n"${'x'.repeat(3_000_000)}`, '2', '32767'],
    [`a\n"${'x,\n'.repeat(500_000)}"`, '2', '32767'],
    [`a\n${','.repeat(3_000_000)}`, '2', '1000'],
    [`a\n${`${'x'.repeat(32_000)},`.repeat(100)}`, '2', '262144'],
  ] as const)
    assert.throws(() => rows(hostile), withCode('file_unreadable', ...named))
  assert.equal(rows('","x'.repeat(900))[0]?.cells.length, 901)
})
