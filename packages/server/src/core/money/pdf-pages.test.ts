import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { fc } from '#test/chance/fast-check.ts'
import { countPdfPages } from './pdf-pages.ts'
import { leastEffortMs } from '#test/chance/effort.ts'

const bytes = (...parts: (string | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
const pdf = (...parts: (string | Uint8Array)[]) => bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', ...parts, '\nstartxref\n0\n%%EOF\n')
const pageObject = (number: number) => `${number} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n`
const pages = (amount: number, first = 3) => Array.from({ length: amount }, (_, index) => pageObject(first + index)).join('')
const tree = (count: number) => `2 0 obj\n<< /Type /Pages /Count ${count} /Kids [3 0 R] >>\nendobj\n`

interface Packed {
  [objectNumber: number]: string
}

function objectStream(number: number, objects: Packed, options: { filter?: string; pack?: (data: Buffer) => Uint8Array } = {}): Buffer {
  let body = ''
  const index = Object.entries(objects).map(([objectNumber, content]) => {
    const pair = `${objectNumber} ${body.length}`
    body += `${content} `
    return pair
  })
  const head = `${index.join(' ')} `
  const { filter = '/Filter /FlateDecode', pack = deflateSync } = options
  const data = pack(Buffer.from(head + body, 'latin1'))
  const dictionary = `<< /Type /ObjStm /N ${index.length} /First ${head.length} ${filter} /Length ${data.length} >>`
  return bytes(`${number} 0 obj\n${dictionary}\nstream\r\n`, data, '\nendstream\nendobj\n')
}

test('counts pages, but not page trees and similar types', () => {
  assert.equal(countPdfPages(pdf(tree(1), pages(1))), 1)
  assert.equal(countPdfPages(pdf(tree(3), pages(3))), 3)
  const relatives = '9 0 obj << /Type /PageLabel >> endobj 10 0 obj << /Type /Pages >> endobj 11 0 obj << /Type /Page-x >> endobj '
  assert.equal(countPdfPages(pdf(relatives, pages(2, 20))), 2)
})

test('accepts every spacing', () => {
  for (const type of ['/Type/Page', '/Type /Page', '/Type\r\n/Page', '/Type\t \n/Page']) {
    for (const next of ['>>', '/Parent 2 0 R>>', ' >>', '\n>>', '%x\n>>']) {
      assert.equal(countPdfPages(pdf(`3 0 obj<<${type}${next}endobj`)), 1, JSON.stringify(type + next))
    }
  }
})

test('counts a page once that a later save rewrote', () => {
  assert.equal(countPdfPages(bytes(pdf(tree(2), pages(2)), pdf(pageObject(3), pageObject(4)))), 2)
  assert.equal(countPdfPages(pdf(objectStream(8, { 3: '<</Type/Page>>', 4: '<</Type/Page>>' }), pageObject(4), pageObject(5))), 3)
})

test('finds pages inside object streams', () => {
  const stream = objectStream(7, {
    2: '<</Type/Pages/Count 2>>',
    3: '<</Type/Page>>',
    4: '<</Parent 2 0 R/Type /Page /Rotate 0>>',
    5: '<</Type/Font>>',
  })
  assert.equal(countPdfPages(pdf(stream)), 2)
  const second = objectStream(8, { 10: '<</Type/Page>>', 11: '<</Type/Page>>' })
  assert.equal(countPdfPages(pdf(stream, second)), 4)
  assert.equal(countPdfPages(pdf(objectStream(7, { 3: '<</Type/Page>>' }, { filter: '', pack: (data) => data }))), 1)
})

test('falls back to the largest count of a page tree', () => {
  assert.equal(
    countPdfPages(pdf('1 0 obj << /Type /Outlines /Count -4 >> endobj ', tree(7), '9 0 obj << /Type /Pages /Count 3 >> endobj')),
    7,
  )
  assert.equal(countPdfPages(pdf(objectStream(7, { 2: '<</Type/Pages/Count 5>>' }))), 5)
})

test('returns undefined when the file is not a PDF or has no pages', () => {
  assert.equal(countPdfPages(new Uint8Array()), undefined)
  assert.equal(countPdfPages(bytes('hello')), undefined)
  assert.equal(countPdfPages(bytes(' ', pdf(pages(1)))), undefined)
  assert.equal(countPdfPages(bytes('%PDF-1.7\n', pages(1))), undefined)
  assert.equal(countPdfPages(bytes(pdf(pages(1)), ' '.repeat(2000))), undefined)
  assert.equal(countPdfPages(pdf()), undefined)
  assert.equal(countPdfPages(pdf('/Count 0')), undefined)
})

test('skips only broken, encrypted and unusually packed streams', () => {
  const page = { 3: '<</Type/Page>>' }
  assert.equal(countPdfPages(pdf(objectStream(7, page, { pack: (data) => data }))), undefined)
  assert.equal(countPdfPages(pdf(objectStream(7, page, { filter: '/Filter /LZWDecode' }))), undefined)
  assert.equal(countPdfPages(pdf(objectStream(7, page, { pack: (data) => deflateSync(data).subarray(0, 8) }), pages(2, 20))), 2)
  assert.equal(countPdfPages(pdf('7 0 obj << /Type /ObjStm >> stream', pages(1, 20))), 1)
})

test('unpacks no further stream after a broken one, which limits the cost', () => {
  const broken = objectStream(7, { 3: '<</Type/Page>>' }, { pack: (data) => deflateSync(data).subarray(0, 8) })
  const intact = objectStream(8, { 10: '<</Type/Page>>' })
  assert.equal(countPdfPages(pdf(intact, broken, pages(2, 20))), 3)
  assert.equal(countPdfPages(pdf(broken, intact, pages(2, 20))), 2)
})

test('does not unpack a compression bomb', () => {
  const bomb = objectStream(7, { 3: `<</Type/Page>>${' '.repeat(40 * 1024 * 1024)}` })
  assert.ok(bomb.length < 100_000)
  assert.equal(countPdfPages(pdf(bomb, pages(1, 20))), 1)
  const large = objectStream(7, { 3: `<</Type/Page>>${' '.repeat(3 * 1024 * 1024)}` })
  assert.equal(countPdfPages(pdf(...Array.from({ length: 500 }, () => large))), 1)
})

test('ignores the content of other streams', () => {
  const attachment = bytes('8 0 obj << /Length 9 >>\nstream\n', pages(5, 30), 'endstream\nendobj\n')
  assert.equal(countPdfPages(pdf(attachment, pages(2))), 2)
  assert.equal(countPdfPages(pdf(pages(2), '8 0 obj << >>\nstream\n', pages(5, 30))), 2)
})

test('ignores offsets out of range', () => {
  const head = '3 0 4 5000000 5 0 6 5000000 '
  const dictionary = `7 0 obj << /Type /ObjStm /First ${head.length} >> stream\n`
  assert.equal(countPdfPages(pdf(dictionary, head, '<</Type/Page>>', '\nendstream')), 1)
  assert.equal(countPdfPages(pdf('7 0 obj << /Type /ObjStm /First 99999999 >> stream\n3 0 <</Type/Page>>\nendstream')), undefined)
})

test('takes linear time for hostile files', () => {
  const size = 2_000_000
  const filled = (unit: string) => pdf(unit.repeat(Math.ceil(size / unit.length)))
  const units = [
    '1',
    '1 ',
    '1 1 ',
    '1 0 obj ',
    '/Type',
    '/Type ',
    '/Type /ObjStm ',
    '1 0 obj /Type /ObjStm ',
    '1 0 obj /Type /ObjStm stream\n',
    '/Count ',
    '/Count 1',
    'stream',
    'endstream',
  ]
  for (const unit of units) {
    const document = filled(unit)
    // A quadratic scan of two megabytes would take minutes.
    const took = leastEffortMs(5_000, () => countPdfPages(document))
    assert.ok(took < 5_000, `${JSON.stringify(unit)} took ${took} ms`)
  }
})

test('never throws for any bytes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      (noise) => void countPdfPages(pdf('7 0 obj << /Type /ObjStm /Filter /FlateDecode /First 9 >> stream\n', noise, 'endstream')),
    ),
  )
  const pieces = fc.array(
    fc.constantFrom('1 0 obj ', '/Type ', '/Page', '/ObjStm', ' stream\n', 'endstream', '/First 5', '/Count 9', '3 0 ', '>>'),
    { maxLength: 40 },
  )
  fc.assert(fc.property(pieces, (some) => void countPdfPages(pdf(...some))))
})

test('does not read beyond a view into a larger buffer', () => {
  const whole = bytes(pdf(pages(1)), pdf(pages(2, 50)))
  const firstLength = pdf(pages(1)).length
  assert.equal(countPdfPages(new Uint8Array(whole.buffer, whole.byteOffset, firstLength)), 1)
})
