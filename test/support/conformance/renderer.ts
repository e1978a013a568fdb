import assert from 'node:assert/strict'
import { readFile, symlink } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { inflateSync } from 'node:zlib'
import { folderFaxFiles } from '../fax/folder-fax-files.ts'
import { faxPrinter, type FaxPrinterDeps } from '#adapters/fax/fax-printer.ts'
import { readTiff } from '#adapters/fax/tiff-reader.ts'
import { memoryFile } from '../machine/memory-file.ts'
import { needs, type Program } from '../peers/debian.ts'
import { aPdf, lockedPdf, ownerLockedPdf, pdfOf } from '../fax/pdf-documents.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'

export interface RendererUnderTest {
  name: string
  renderer: NonNullable<FaxPrinterDeps['renderer']>
  programs: readonly Program[]
}

const fax = { accountId: '1234567', faxId: 'fax' }

const open = async (t: TestContext, more: Partial<FaxPrinterDeps>) => {
  const files = folderFaxFiles(await temporaryFolder(t))
  const printer = faxPrinter({ files, maxPages: 200, ...more })
  const bytes = async (kind: 'document' | 'pages' | 'preview' | 'report') => readFile(await files.pathOf({ ...fax, kind }))
  const isEmpty = async () => {
    for await (const one of files.list()) assert.fail(`${one.faxId} is left`)
  }
  return { files, printer, bytes, isEmpty }
}

/** All shades from black to white, over the whole page. */
const photo = (): Buffer => {
  const [width, height] = [256, 300]
  const stream = Buffer.from(
    Array.from({ length: width * height }, (_, at) => 128 + 60 * Math.sin((at % width) / 9) * Math.cos(at / width / 11)),
  )
  const dictionary = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`
  const page = { width: 609, content: '609 0 0 842 0 0 cm /X Do', resources: '/XObject << /X 100 0 R >>' }
  return pdfOf([page], { more: { 100: { dictionary, stream } } })
}

/** Share of black pixels, and of colour changes between adjacent pixels. */
const looksOf = (bits: Uint8Array): { blackPart: number; changes: number } => {
  let [black, changes, before] = [0, 0, 0]
  for (const byte of bits)
    for (let place = 7; place >= 0; place--) {
      const pixel = (byte >> place) & 1
      black += pixel
      changes += pixel ^ before
      before = pixel
    }
  return { blackPart: black / (bits.length * 8), changes: changes / (bits.length * 8) }
}

/** Conformance tests of every document renderer. */
export const rendererSuite = ({ name, renderer, programs }: RendererUnderTest): void => {
  test(`${name}: renders pages for the line, and a thumbnail of the first`, async (t) => {
    if (!(await needs(t, ...programs))) return
    const { printer, bytes } = await open(t, { renderer })
    assert.deepEqual(await printer.render(fax, aPdf(3)), { pages: 3 })
    const pages = await readTiff(memoryFile(await bytes('pages')))
    assert.deepEqual(
      pages.map(({ width, height, x, y }) => [width, Math.abs(height - 2292) <= 1, x, y]),
      Array.from({ length: 3 }, () => [1728, true, 204, 196]),
    )
    const preview = await bytes('preview')
    assert.deepEqual([...preview.subarray(1, 4)], [...Buffer.from('PNG')])
    assert.deepEqual([preview.readUInt32BE(16), preview.readUInt32BE(20)], [432, 573])
    assert.ok((await bytes('document')).equals(aPdf(3)))
  })

  test(`${name}: dithers a photo at its brightness, with dots large enough to compress`, async (t) => {
    if (!(await needs(t, ...programs))) return
    const { printer, bytes } = await open(t, { renderer })
    await printer.render(fax, photo())
    const file = await bytes('pages')
    const [page] = await readTiff(memoryFile(file))
    assert.ok(page)
    const { blackPart, changes } = looksOf(inflateSync(file.subarray(page.at, page.at + page.length)))
    assert.ok(Math.abs(blackPart - 0.5) < 0.04, `${blackPart} is black`)
    // Single-pixel dots give more than one change per two pixels, and a page takes a quarter of an hour.
    assert.ok(changes < 0.3, `${changes} changes of colour for each pixel`)
  })

  test(`${name}: scales pages of all sizes to the line, in their proportions`, async (t) => {
    if (!(await needs(t, ...programs))) return
    const { printer, bytes } = await open(t, { renderer })
    const sizes = {
      A3: [842, 1191],
      wide: [3000, 100],
      tiny: [20, 20],
      endless: [100, 14_400],
      boundless: [2_000_000, 3_000_000],
      letter: [612, 792],
    } as const
    await printer.render(fax, pdfOf(Object.values(sizes).map(([width, height]) => ({ width, height, content: '' }))))
    const pages = await readTiff(memoryFile(await bytes('pages')))
    for (const [index, [size, [width, height]]] of Object.entries(sizes).entries()) {
      const [columns, rows] = [(width * 204) / 72, (height * 196) / 72]
      const shrunk = Math.min(1, 1728 / columns, 9168 / rows)
      assert.equal(pages[index]?.width, 1728)
      assert.ok(Math.abs((pages[index]?.height ?? 0) - rows * shrunk) <= 1, `${size} is ${pages[index]?.height} high`)
    }
  })

  test(`${name}: rejects hostile documents by name, and leaves no files`, async (t) => {
    if (!(await needs(t, ...programs))) return
    const { printer, isEmpty } = await open(t, { renderer, limits: { seconds: 120 } })
    const refusing = (pdf: Uint8Array, why: RegExp) => assert.rejects(printer.render(fax, pdf), { name: 'DocumentRefused', why })
    await refusing(Buffer.from('%PDF-1.4\nnothing at all\n%%EOF\n'), /no PDF/)
    await refusing(Buffer.from('GIF89a'), /no PDF/)
    await refusing(aPdf(1).subarray(0, 200), /no PDF/)
    await refusing(pdfOf(Array.from({ length: 10_000 }, () => ({ content: '' }))), /at most 200 pages/)
    await refusing(lockedPdf(), /password/)
    await isEmpty()
  })

  test(`${name}: prints a document that is readable without a password, whatever its owner password forbids`, async (t) => {
    if (!(await needs(t, ...programs))) return
    const { printer, bytes } = await open(t, { renderer })
    const square = '100 100 300 300 re f'
    await printer.render(fax, pdfOf([{ content: square }]))
    const pages = await bytes('pages')
    await printer.render(fax, ownerLockedPdf(square))
    assert.ok(pages.equals(await bytes('pages')))
  })

  test(`${name}: ignores false claims of a document`, async (t) => {
    if (!(await needs(t, ...programs))) return
    const { printer, bytes } = await open(t, { renderer })
    const lie = 'x\\nPages:           1\\nPage    1 size:      10 x 10 pts\\nPage    1 rot:   0\\n'
    const saying = (title: string, pages: number) =>
      pdfOf(
        Array.from({ length: pages }, () => ({ content: '' })),
        { trailer: `/Info << /Title (${title}) >>` },
      )
    assert.deepEqual(await printer.render(fax, saying(lie, 2)), { pages: 2 })
    assert.ok(((await readTiff(memoryFile(await bytes('pages'))))[0]?.height ?? 0) > 2_000)
    await assert.rejects(printer.render(fax, saying(lie, 201)), { name: 'DocumentRefused', why: /at most 200 pages/ })
  })

  test(`${name}: rejects pages that would fill the disk, also when it is full`, async (t) => {
    if (!(await needs(t, ...programs))) return
    const small = await open(t, { renderer, limits: { maxBytes: 1_000 } })
    await assert.rejects(small.printer.render(fax, aPdf(1)), { name: 'DocumentRefused', why: /too much/ })
    await small.isEmpty()
    const { files, printer, isEmpty } = await open(t, { renderer })
    await symlink('/dev/full', `${await files.pathOf({ ...fax, kind: 'pages' })}.part`)
    await assert.rejects(printer.render(fax, aPdf(1)), { code: 'unavailable', message: /no room/ })
    await isEmpty()
  })

  test(`${name}: runs no scripts and fetches nothing`, async (t) => {
    if (!(await needs(t, ...programs))) return
    let asked = 0
    const server = createServer((socket) => {
      asked++
      socket.destroy()
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { printer, bytes } = await open(t, { renderer })
    const script = `/OpenAction << /S /JavaScript /JS (app.launchURL\\("${url}"\\); while\\(true\\);) >>`
    const uri = `/AA << /O << /S /URI /URI (${url}) >> >>`
    const outside = pdfOf([{ content: '/X Do', resources: `/XObject << /X 100 0 R >>`, page: uri }], {
      catalog: script,
      more: {
        100: { dictionary: `/Type /XObject /Subtype /Image /Width 1 /Height 1 /F << /FS /URL /F (${url}) >>`, stream: Buffer.alloc(0) },
      },
    })
    await printer.render(fax, outside)
    assert.equal((await readTiff(memoryFile(await bytes('pages')))).length, 1)
    assert.equal(asked, 0)
  })
}
