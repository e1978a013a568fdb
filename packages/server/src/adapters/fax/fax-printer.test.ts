import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rendererSuite } from '../../../../../test/conformance/renderer.ts'
import { needs } from '../../../../../test/support/peers/debian.ts'
import { pdfOf } from '../../../../../test/support/pdf-documents.ts'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { diskFaxFiles } from '../disk/disk-fax-files.ts'
import { faxPrinter } from './fax-printer.ts'
import { poppler } from './poppler.ts'

rendererSuite({ name: 'poppler', renderer: poppler, programs: ['pdftoppm'] })

test('poppler: the time is for the whole document, however many programs it takes', async (t) => {
  if (!(await needs(t, 'pdftoppm'))) return
  const files = diskFaxFiles(await temporaryFolder(t))
  const printer = faxPrinter({ files, mostPages: 200, renderer: poppler, limits: { seconds: 0.4 } })
  const pages = Array.from({ length: 200 }, (_, index) => ({ content: '', width: index % 2 === 0 ? 900 : 800 }))
  await assert.rejects(printer.render({ accountId: '1234567', faxId: 'fax' }, pdfOf(pages)), { name: 'DocumentRefused', why: /too long/ })
})

test('poppler: a document that says endless things of itself is not listened to', async (t) => {
  if (!(await needs(t, 'pdftoppm'))) return
  const files = diskFaxFiles(await temporaryFolder(t))
  const printer = faxPrinter({ files, mostPages: 200, renderer: poppler })
  const pdf = pdfOf([{ content: '' }], { trailer: `/Info << /Title (${'endless '.repeat(200_000)}) >>` })
  await assert.rejects(printer.render({ accountId: '1234567', faxId: 'fax' }, pdf), { name: 'DocumentRefused', why: /too much/ })
})
