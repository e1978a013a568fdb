import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCsv, writeCsvRow } from '#core/kernel/csv.ts'
import { readContactCsv, writeContactCsv } from './contact-csv.ts'
import { readVcards, writeVcards } from './vcard.ts'

test('vCards of every version are read', () => {
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
  assert.deepEqual(readVcards(old + '\r\n' + three + four), [
    { line: 1, name: 'Dr. Jürgen Müller', numbers: ['0151 123'], emails: [] },
    { line: 9, name: 'Zoë, Inc; Sons', numbers: ['+49 (211) 1', '22'], emails: ['z@example.org'] },
    { line: 17, name: 'Example GmbH', numbers: ['+49-30-1'], emails: [] },
  ])
  const latin = 'BEGIN:VCARD\nFN;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:Gr=FC=DFe\nEND:VCARD'
  assert.equal(readVcards(latin)[0]?.name, 'Grüße')
  assert.equal(readVcards('BEGIN:VCARD\nFN;CHARSET=nowhere;QUOTED-PRINTABLE:a=20b\nEND:VCARD')[0]?.name, 'a b')
})

test('what is no vCard, or none that ends, gives nothing and takes no time', () => {
  for (const odd of ['', 'BEGIN:VCARD\nFN:x', 'END:VCARD\nEND:VCARD', `BEGIN:VCARD\n${'\t'.repeat(1_000_000)}`, '='.repeat(1_000_000)])
    assert.deepEqual(readVcards(odd), [])
  const hostile = `BEGIN:VCARD\nFN:${'\\;'.repeat(500_000)}\nTEL${';"'.repeat(200_000)}:1\nEND:VCARD`
  assert.equal(readVcards(hostile).length, 1)
})

const people = [
  { name: 'Jürgen "Jo" Müller; Söhne, \\ Co', numbers: ['+492111', '44*'], emails: ['a@example.org', 'b@example.org'] },
  { name: '=1+1', numbers: [], emails: [] },
  { name: `Long ${'ä'.repeat(120)}`, numbers: ['+4930'], emails: [] },
]

test('what is written is read again as it was', () => {
  const cards = writeVcards(people)
  for (const line of cards.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line)
  const withoutLine = (list: ReturnType<typeof readVcards>) => list.map(({ name, numbers, emails }) => ({ name, numbers, emails }))
  assert.deepEqual(withoutLine(readVcards(cards)), people)
  const csv = writeContactCsv(people)
  assert.deepEqual(withoutLine(readContactCsv(csv, undefined)), people)
  assert.match(csv, /^\uFEFFName,Phone 1,Phone 2,E-mail 1,E-mail 2\r\n/)
  assert.match(csv, /\r\n'=1\+1,,,,\r\n/)
})

test('cells that a spreadsheet would compute stay text', () => {
  assert.equal(writeCsvRow(['=1+1', '@x', '-2', '\tx', '+49211', '+cmd', 'a,"b"', '']), `'=1+1,'@x,'-2,'\tx,+49211,'+cmd,"a,""b""",\r\n`)
})

test('columns are known by the headers of other address books', () => {
  const google =
    'Name,Given Name,Family Name,Organization 1 - Name,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value\nAda L,Ada,L,X,* Home,a@x.org ::: b@x.org,Mobile,+49 1 ::: +49 2\n'
  assert.deepEqual(readContactCsv(google, undefined), [
    { line: 2, name: 'Ada L', numbers: ['+49 1', '+49 2'], emails: ['a@x.org', 'b@x.org'] },
  ])
  const outlook =
    '"Vorname";"Nachname";"Firma";"Telefon geschäftlich";"Mobiltelefon";"E-Mail-Adresse";"E-Mail-Typ"\r\n"Eva";"Ö";"";"0211 1";"0151 2";"e@x.de";"SMTP"\r\n"";"";"Acme";"";"";"";""\r\n'
  assert.deepEqual(readContactCsv(outlook, undefined), [
    { line: 2, name: 'Eva Ö', numbers: ['0211 1', '0151 2'], emails: ['e@x.de'] },
    { line: 3, name: 'Acme', numbers: [], emails: [] },
  ])
  assert.deepEqual(readContactCsv('x\ty\nA\t1\n', ['NAME', 'NUMBER']), [{ line: 2, name: 'A', numbers: ['1'], emails: [] }])
  assert.throws(() => readContactCsv('colour,size\nred,9\n', undefined), { status: 400 })
})

test('rows have the line they begin in, and odd quotes hurt nobody', () => {
  assert.deepEqual(readCsv('a,b\r\n"x\r\ny",2\r\n\r\n3,"4""5"'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['x\r\ny', '2'] },
    { line: 5, cells: ['3', '4"5'] },
  ])
  assert.deepEqual(readCsv('a,b\n"open,1\n')[1], { line: 2, cells: ['"open', '1'] })
  for (const hostile of ['"'.repeat(2_000_000), `a\n"${'x'.repeat(3_000_000)}`, '","x'.repeat(500_000)]) readCsv(hostile)
})
