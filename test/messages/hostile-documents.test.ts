import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { folderFaxFiles } from '#test/fax/folder-fax-files.ts'
import { faxPrinter } from '#adapters/fax/fax-printer.ts'
import { pdfjs } from '#adapters/fax/pdfjs.ts'
import { poppler } from '#adapters/fax/poppler.ts'
import type { RenderLimits } from '#adapters/fax/renderer.ts'
import { rendererSuite } from '#test/conformance/renderer.ts'
import { needs } from '#test/peers/debian.ts'
import { pdfOf } from '#test/fax/pdf-documents.ts'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'

const fax = { accountId: '1234567', faxId: 'fax' }
const renderers = { poppler, pdfjs }
const programs = { poppler: ['pdftoppm'], pdfjs: [] } as const

const openPrinter = async (t: Scope, renderer: keyof typeof renderers, limits: Partial<RenderLimits>) => {
  const files = folderFaxFiles(await temporaryFolder(t))
  return { files, printer: faxPrinter({ files, maxPages: 200, renderer: renderers[renderer], limits }) }
}

rendererSuite({ name: 'pdf.js', renderer: pdfjs, programs: [] })

for (const name of ['poppler', 'pdfjs'] as const) {
  test(`${name}: stops an endless document in time`, async (t) => {
    if (!(await needs(t, ...programs[name]))) return
    const { printer, files } = await openPrinter(t, name, { seconds: 2 })
    await assert.rejects(printer.render(fax, nestedForms(9)), { name: 'DocumentRefused', why: /too long or too much/ })
    for await (const { faxId } of files.list()) assert.fail(`${faxId} is left`)
  })

  test(`${name}: handles a small file with an enormous picture`, async (t) => {
    if (!(await needs(t, ...programs[name]))) return
    const { printer } = await openPrinter(t, name, { seconds: 8, memoryBytes: 160 * 1024 * 1024 })
    const side = 14_000
    const packed = deflateSync(Buffer.alloc(side * side))
    const dictionary = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`
    const bomb = pdfOf([{ content: '500 0 0 700 40 40 cm /X Do', resources: '/XObject << /X 100 0 R >>' }], {
      more: { 100: { dictionary, stream: packed } },
    })
    const outcome = await printer.render(fax, bomb).catch((error: Error) => error.name)
    assert.ok(outcome === 'DocumentRefused' || (typeof outcome === 'object' && outcome.pages === 1))
  })
}

/** Each form shows the next one ten times. */
const nestedForms = (levels: number): Uint8Array => {
  const more = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      100 + level,
      {
        dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 500 500] /Resources << /XObject << /N ${101 + level} 0 R >> >>`,
        stream: Buffer.from(level === levels - 1 ? '0 0 500 500 re f 10 10 m 400 400 l S' : '/N Do '.repeat(10)),
      },
    ]),
  )
  return pdfOf([{ content: '/N Do', resources: '/XObject << /N 100 0 R >>' }], { more })
}
