import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyPdf } from '#test/ports/scripted-papers.ts'
import { readDocument } from './fax-document.ts'

const read = (base64Content: string) => readDocument('letter.pdf', base64Content)

test('whatever is a PDF goes to the printer; how many pages are to be seen only decides about the price', () => {
  const { filename, pdf, pages } = read(emptyPdf(3))
  assert.deepEqual([filename, pdf.length > 0, pages], ['letter.pdf', true, 3])
  // Protected against changes only: it can be read, but its objects are encrypted.
  const locked = '%PDF-1.5\n5 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n\u0001\u0002\nendstream\nendobj\n%%EOF\n'
  assert.equal(read(Buffer.from(locked).toString('base64')).pages, 1)
  // Of pages that were taken out, the objects may still be there.
  assert.equal(read(emptyPdf(201)).pages, 200)
})

test('what is no PDF is refused', () => {
  for (const content of ['hello', '%PDF-1.7', `x${Buffer.from(emptyPdf(1), 'base64').toString()}`])
    assert.throws(() => read(Buffer.from(content).toString('base64')), { message: /base64Content must be a PDF/ })
})
