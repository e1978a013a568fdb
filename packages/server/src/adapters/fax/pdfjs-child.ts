import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { getDocument, VerbosityLevel, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { Halftone } from './halftone.ts'
import { resolutionFor, type MonoPage } from './mono-page.ts'
import { locked, tooLong, unreadable } from './pdfjs-exits.ts'

/** Maximum pixels of one image in the document; larger ones are left out. */
const maxPixels = 64 * 1024 * 1024

const [, , path = '', allowed = '', wanted = ''] = process.argv

const folder = (name: string): string => fileURLToPath(new URL(`../../${name}/`, import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs')))

const openDocument = async () =>
  getDocument({
    data: new Uint8Array(await readFile(path)),
    standardFontDataUrl: folder('standard_fonts'),
    cMapUrl: folder('cmaps'),
    iccUrl: folder('iccs'),
    wasmUrl: folder('wasm'),
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    maxImageSize: maxPixels,
    verbosity: VerbosityLevel.ERRORS,
  }).promise

/** Canvas of pdf.js in Node: its own, so that both have the same version. Its types are those of browsers. */
interface Paper {
  context: { getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray } }
}

const paper = ({ canvasFactory }: PDFDocumentProxy, width: number, height: number): Paper =>
  (canvasFactory as { create(width: number, height: number): Paper }).create(width, height)

const print = async (document: PDFDocumentProxy, page: PDFPageProxy): Promise<void> => {
  const viewport = page.getViewport({ scale: 1 })
  const { x, y } = resolutionFor(viewport.width, viewport.height)
  const width = Math.max(1, Math.round((viewport.width * x) / 72))
  const height = Math.max(1, Math.round((viewport.height * y) / 72))
  const { context } = paper(document, width, height)
  const transform = [x / 72, 0, 0, y / 72, 0, 0]
  await page.render({ canvas: null, canvasContext: context as never, viewport, transform, background: 'white', intent: 'print' }).promise
  const { bits } = inDots(context.getImageData(0, 0, width, height).data, width, height)
  await write(Buffer.from(`P4\n${width} ${height}\n`))
  await write(bits)
}

/** From RGBA pixels. */
const inDots = (pixels: Uint8ClampedArray, width: number, height: number): MonoPage => {
  const halftone = new Halftone(width, height)
  const greys = new Uint8ClampedArray(width)
  for (let y = 0; y < height; y++) {
    for (let x = 0, at = y * width * 4; x < width; x++, at += 4)
      greys[x] = 0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]!
    halftone.add(greys)
  }
  return halftone.page
}

const write = (bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
  })

const run = async (): Promise<number> => {
  const document = await openDocument()
  if (document.numPages > Number(allowed)) return tooLong
  for (let number = 1; number <= Math.min(document.numPages, Number(wanted)); number++) {
    const page = await document.getPage(number)
    await print(document, page)
    page.cleanup()
  }
  return 0
}

process.exitCode = await run().catch((error: Error) => {
  process.stderr.write(`${error.name}: ${error.message}\n`)
  return error.name === 'PasswordException' ? locked : unreadable
})
process.exit()
