import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyPdf } from '#test/ports/scripted-papers.ts'
import { withCode } from '#test/http/with-code.ts'
import { readDocument } from './fax-document.ts'

const read = (base64Content: string) => readDocument('letter.pdf', base64Content, () => Promise.resolve())

test('accepts any PDF; the visible page count only affects the price', async () => {
  const { filename, pdf, pages } = await read(emptyPdf(3))
  assert.deepEqual([filename, pdf.length > 0, pages], ['letter.pdf', true, 3])
  // Protected against changes only: it can be read, but its objects are encrypted.
  const locked = '%PDF-1.5\n5 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n\u0001\u0002\nendstream\nendobj\n%%EOF\n'
  assert.equal((await read(Buffer.from(locked).toString('base64'))).pages, 1)
  // Objects of removed pages may still be in the file.
  assert.equal((await read(emptyPdf(201))).pages, 200)
})

test('rejects files that are not PDFs', async () => {
  for (const content of ['hello', '%PDF-1.7', `x${Buffer.from(emptyPdf(1), 'base64').toString()}`])
    await assert.rejects(read(Buffer.from(content).toString('base64')), withCode('parameter_invalid', 'base64Content', 'PDF'))
})

const largePdf = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(9 * 1024 * 1024, 'sound'), Buffer.from('\n%%EOF\n')])

test('reads a large document in chunks and yields to the event loop', async () => {
  let turns = 0
  const { pdf } = await readDocument('letter.pdf', largePdf.toString('base64'), async () => turns++)
  assert.ok(largePdf.equals(pdf))
  assert.equal(turns, 88, 'after each of 87 pieces, and after the pages were counted')
})

test('accepts Base64 with line breaks, wherever they are', async () => {
  const whole = largePdf.toString('base64')
  const lines = (length: number, end: string): string => whole.replaceAll(new RegExp(`.{1,${length}}`, 'g'), (line) => line + end)
  for (const written of [lines(76, '\r\n'), lines(64, '\n'), lines(61, '\n'), `\n ${whole}`])
    assert.ok(largePdf.equals((await read(written)).pdf))
  await assert.rejects(read(lines(76, '\n').replace(/.\n$/, '\n')), { message: /must be Base64/ })
})

test('rejects malformed Base64 at any position', async () => {
  const whole = largePdf.toString('base64')
  const at = (place: number, text: string): string => whole.slice(0, place) + text + whole.slice(place + text.length)
  const wrong = ['', '\n', 'JVBERi0', 'JVBERi1_', 'JVBERi0xLg==JVBERi0xLg==', 'AB==', `${whole}=`]
  for (const place of [8, 4 * 1024 * 1024 - 2, 4 * 1024 * 1024 + 1, whole.length - 8])
    wrong.push(at(place, '\n'), at(place, '='), at(place, '-'))
  for (const text of wrong) await assert.rejects(read(text), withCode('parameter_invalid', 'base64Content'), text.slice(0, 30))
})
