import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { rendererSuite } from '#test/conformance/renderer.ts'
import { needs } from '#test/peers/debian.ts'
import { pdfOf } from '#test/fax/pdf-documents.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { folderFaxFiles } from '#test/fax/folder-fax-files.ts'
import { faxPrinter } from './fax-printer.ts'
import { startLimited } from './limited-child.ts'
import { poppler } from './poppler.ts'

rendererSuite({ name: 'poppler', renderer: poppler, programs: ['pdftoppm'] })

test('poppler: the time limit covers the whole document, however many programs it takes', async (t) => {
  if (!(await needs(t, 'pdftoppm'))) return
  const files = folderFaxFiles(await temporaryFolder(t))
  const printer = faxPrinter({ files, maxPages: 200, renderer: poppler, limits: { seconds: 0.4 } })
  const pages = Array.from({ length: 200 }, (_, index) => ({ content: '', width: index % 2 === 0 ? 900 : 800 }))
  await assert.rejects(printer.render({ accountId: '1234567', faxId: 'fax' }, pdfOf(pages)), { name: 'DocumentRefused', why: /too long/ })
})

test('poppler: rejects a document with endless metadata', async (t) => {
  if (!(await needs(t, 'pdftoppm'))) return
  const files = folderFaxFiles(await temporaryFolder(t))
  const printer = faxPrinter({ files, maxPages: 200, renderer: poppler })
  const pdf = pdfOf([{ content: '' }], { trailer: `/Info << /Title (${'endless '.repeat(200_000)}) >>` })
  await assert.rejects(printer.render({ accountId: '1234567', faxId: 'fax' }, pdf), { name: 'DocumentRefused', why: /too much/ })
})

/** An image of 16 million pixels that is painted five hundred times: seconds of work in a document of a few kilobytes. */
const endlessPicture = (): Uint8Array => {
  const side = 4_000
  const stream = deflateSync(deflateSync(Buffer.alloc(side * side)))
  const filters = '/Filter [/FlateDecode /FlateDecode]'
  const dictionary = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceGray /BitsPerComponent 8 ${filters}`
  return pdfOf([{ content: '500 0 0 700 20 20 cm '.concat('/X Do '.repeat(500)), resources: '/XObject << /X 100 0 R >>' }], {
    more: { 100: { dictionary, stream } },
  })
}

test('poppler: endless images cost no more CPU time than a page may', async (t) => {
  if (!(await needs(t, 'pdftoppm'))) return
  const files = folderFaxFiles(await temporaryFolder(t))
  // Less than the default second, so that the test is short; ordinary pages take far less, and this one far more.
  const printer = faxPrinter({ files, maxPages: 200, renderer: poppler, limits: { pageSeconds: 0.3 } })
  await assert.rejects(printer.render({ accountId: '1234567', faxId: 'fax' }, endlessPicture()), {
    name: 'DocumentRefused',
    why: /too long/,
  })
})

test('programs with untrusted input run at the lowest priority', async () => {
  // The priority is set after the child has started: it polls until it sees it.
  const untilLow = 'until [ "$(ps -o nice= -p $$)" -eq 19 ]; do :; done; ps -o nice= -p $$'
  const child = startLimited('/bin/sh', ['-c', untilLow], {
    seconds: 20,
    memoryBytes: 1024 ** 3,
    memory: 'address',
    pageSeconds: { first: 60, further: 60 },
  })
  const [priority] = await Promise.all([text(child.output), child.ended])
  assert.equal(priority.trim(), '19')
})
