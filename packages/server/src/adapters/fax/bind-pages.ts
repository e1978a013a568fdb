import { PdfWriter, round, type Pieces } from '#core/kernel/pdf/pdf-writer.ts'
import type { Source, TiffPage } from './tiff-reader.ts'

const chunkBytes = 64 * 1024
/** Points; longer pages are scaled down, because PDF readers reject them otherwise. */
const maxSidePoints = 14_400

/** Pages of a fax as a PDF; their compression stays the same. */
export async function* bindPages(file: Source, pages: readonly TiffPage[]): Pieces {
  const pdf = new PdfWriter()
  yield* pdf.begin()
  for (const page of pages) {
    const image = yield* addImage(pdf, file, page)
    const [across, down] = [(page.width * 72) / page.x, (page.height * 72) / page.y]
    const factor = Math.min(1, maxSidePoints / Math.max(across, down))
    const [width, height] = [across * factor, down * factor]
    yield* pdf.page(width, height, `/XObject << /I ${image} 0 R >>`, `${round(width)} 0 0 ${round(height)} 0 0 cm /I Do`)
  }
  yield* pdf.finish()
}

/** Returns its object number. */
export const addImage = (pdf: PdfWriter, file: Source, page: TiffPage): Pieces<number> =>
  pdf.add(imageOf(page), { length: page.length, pieces: pictureIn(file, page) })

async function* pictureIn(file: Source, { at, length, reversed }: TiffPage): Pieces {
  const end = at + length
  for (let place = at; place < end; place += chunkBytes) {
    const wanted = Math.min(chunkBytes, end - place)
    const piece = await file.read(place, wanted)
    if (piece.length < wanted) throw new Error('the pages of a fax became fewer while they were read')
    yield reversed ? turned(piece) : piece
  }
}

const imageOf = (page: TiffPage): string =>
  [
    `/Type /XObject /Subtype /Image /Width ${page.width} /Height ${page.height}`,
    '/ColorSpace /DeviceGray /BitsPerComponent 1',
    // In a raw fax bitmap 1 is black. CCITT data decodes to 0 for black by default.
    `/Decode ${isFax(page) === page.inverted ? '[1 0]' : '[0 1]'}`,
    filterOf(page),
  ].join(' ')

const isFax = ({ packing }: TiffPage): boolean => packing === 'g3' || packing === 'g4'

const filterOf = (page: TiffPage): string => {
  if (page.packing === 'none') return ''
  if (page.packing === 'deflate') return '/Filter /FlateDecode'
  const k = page.packing === 'g4' ? -1 : Number(page.twoDimensional)
  // Byte alignment need not be declared: zeros before the EOL code are skipped anyway.
  const lines = page.packing === 'g3' ? ' /EndOfLine true' : ''
  return `/Filter /CCITTFaxDecode /DecodeParms << /K ${k} /Columns ${page.width} /Rows ${page.height}${lines} >>`
}

const reversedBytes = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) reversed |= 0x80 >> bit
  return reversed
})

const turned = (data: Uint8Array): Uint8Array => data.map((byte) => reversedBytes[byte] ?? 0)
