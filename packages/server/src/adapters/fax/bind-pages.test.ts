import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { needs } from '#test/peers/debian.ts'
import { memoryFile } from '#test/machine/memory-file.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { bindPages } from './bind-pages.ts'
import { rowBytes, type MonoPage } from './mono-page.ts'
import type { Pieces } from '#core/kernel/pdf/pdf-writer.ts'
import { reportOf } from './report.ts'
import { readTiff } from './tiff-reader.ts'
import { TiffWriter } from './tiff-writer.ts'

const run = promisify(execFile)

/** Without repetition, so that every error is visible. */
const aPage = (seed: number): MonoPage => {
  const [width, height] = [1728, 300]
  let state = seed
  const bits = new Uint8Array(rowBytes(width) * height)
  for (let at = 0; at < bits.length; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    bits[at] = at % 7 === 0 ? state >> 16 : 0
  }
  return { width, height, bits }
}

const pages = [aPage(1), aPage(2), aPage(3)]

const writeTiff = async (path: string): Promise<void> => {
  const file = await open(path, 'w')
  const tiff = await TiffWriter.begin(file)
  for (const page of pages) await tiff.add(page)
  await file.close()
}

/** Images of the PDF according to another program, as raw bitmaps. */
const imagesIn = async (folder: string, pdf: Pieces): Promise<Uint8Array[]> => {
  await writeFile(join(folder, 'out.pdf'), pdf)
  await run('pdfimages', [join(folder, 'out.pdf'), join(folder, 'image')])
  const images = await Promise.all(pages.map((_, index) => readFile(join(folder, `image-00${index}.pbm`))))
  return images.map((image) => image.subarray(image.length - rowBytes(1728) * 300))
}

const openFolder = async (t: TestContext) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'pages.tif')
  await writeTiff(path)
  return { folder, path }
}

test('written pages are identical for other programs in every compression', async (t) => {
  if (!(await needs(t, 'tiffcp', 'pdfimages'))) return
  const { folder, path } = await openFolder(t)
  const packings = [
    [],
    ['-c', 'none'],
    ['-c', 'g4'],
    ['-c', 'g3:1d'],
    ['-c', 'g3:2d:fill', '-f', 'lsb2msb'],
    ['-c', 'g4', '-f', 'lsb2msb'],
    ['-c', 'g3:1d', '-B'],
  ]
  for (const packing of packings) {
    const other = join(folder, 'other.tif')
    if (packing.length > 0) await run('tiffcp', [...packing, '-r', '300', path, other])
    const file = memoryFile(await readFile(packing.length > 0 ? other : path))
    const read = await readTiff(file)
    assert.deepEqual(
      read.map(({ width, height, x, y }) => [width, height, x, y]),
      pages.map(() => [1728, 300, 204, 196]),
      packing.join(' '),
    )
    const seen = await imagesIn(folder, bindPages(file, read))
    for (const [index, page] of pages.entries())
      assert.ok(Buffer.from(page.bits).equals(seen[index] ?? Buffer.alloc(0)), `${packing.join(' ')} ${index}`)
  }
})

test('reads the valid pages of a truncated or corrupt file', async (t) => {
  const { path } = await openFolder(t)
  const whole = await readFile(path)
  let max = 3
  for (let length = whole.length - 1; length > 0; length -= 101) {
    const found = (await readTiff(memoryFile(whole.subarray(0, length)))).length
    assert.ok(found <= max)
    max = found
  }
  assert.equal(max, 0)
  let state = 7
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  for (let time = 0; time < 500; time++) {
    const broken = Buffer.from(whole)
    for (let change = 0; change < 8; change++) {
      // Mostly where directories are: at the end of each page.
      const at = random(2) === 0 ? random(broken.length) : broken.length - 1 - random(220)
      broken[at] = random(256)
    }
    const file = memoryFile(broken)
    const found = await readTiff(file)
    for (const { at, length, width, height } of found) assert.ok(at + length <= broken.length && width * height > 0)
    for await (const piece of bindPages(file, found)) assert.ok(piece.length > 0)
  }
})

test('cuts off an endless page, and scales it down as PDF readers require', async (t) => {
  const path = join(await temporaryFolder(t), 'pages.tif')
  const handle = await open(path, 'w')
  await (await TiffWriter.begin(handle)).add({ width: 1728, height: 4_000_000, bits: new Uint8Array(10) })
  await handle.close()
  const file = memoryFile(await readFile(path))
  const [page = assert.fail()] = await readTiff(file)
  assert.ok(page.width * page.height <= 256 * 1024 * 1024 && page.height > 60_000)
  const pdf = (await buffer(bindPages(file, [page]))).toString('latin1')
  assert.match(pdf, new RegExp(`/Height ${page.height} `))
  assert.match(pdf, /\/MediaBox \[0 0 \d+\.\d+ 14400\]/)
})

test('copies a large page in small chunks', async (t) => {
  const path = join(await temporaryFolder(t), 'pages.tif')
  const handle = await open(path, 'w')
  await (await TiffWriter.begin(handle)).add({ width: 1728, height: 2292, bits: randomBytes(rowBytes(1728) * 2292) })
  await handle.close()
  const whole = memoryFile(await readFile(path))
  const read = t.mock.fn(whole.read)
  const file = { ...whole, read }
  const [page = assert.fail()] = await readTiff(file)
  assert.ok(page.length > 400_000)
  for await (const piece of bindPages(file, [page])) assert.ok(piece.length <= 64 * 1024)
  for (const { arguments: wanted } of read.mock.calls) assert.ok(wanted[1] <= 64 * 1024)
})

test('copies only the images of a TIFF into the document', async (t) => {
  if (!(await needs(t, 'tiffcp'))) return
  const { path } = await openFolder(t)
  for (const [tag, words] of Object.entries({ 305: 'some software', 315: 'some station', 316: 'some machine' }))
    await run('tiffset', ['-s', tag, words, path])
  const file = memoryFile(await readFile(path))
  const read = await readTiff(file)
  assert.equal(read.length, 3)
  assert.equal((await buffer(bindPages(file, read))).includes('some '), false)
})

test('a report has the given text in letters of the font, with the first page below', async (t) => {
  if (!(await needs(t, 'tiffcp', 'pdfimages'))) return
  const { folder, path } = await openFolder(t)
  const source = memoryFile(await readFile(path))
  const [page = assert.fail()] = await readTiff(source)
  const lines = [
    ['Empfänger', '+49 30 1234567 (Müller)'],
    ['Dokument', `Ω ${'x'.repeat(100)}.pdf`],
  ] as const
  const file = join(folder, 'report.pdf')
  await writeFile(file, reportOf({ title: 'Fax gesendet – 3 €', lines }, { file: source, page }))
  const { stdout } = await run('pdftotext', ['-layout', file, '-'])
  assert.match(stdout, /Fax gesendet – 3 €/)
  assert.match(stdout, /Empfänger\s+\+49 30 1234567 \(Müller\)/)
  assert.match(stdout, /Dokument\s+\? x{58}…/)
  const { stdout: images } = await run('pdfimages', ['-list', file])
  assert.match(images, /1728\s+300/)
  assert.equal((await buffer(reportOf({ title: '', lines: [] }))).includes('/XObject'), false)
})
