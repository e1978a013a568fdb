import { addImage } from './bind-pages.ts'
import { builtInFonts, showText } from '#core/kernel/pdf/pdf-text.ts'
import { PdfWriter, round, type Pieces } from '#core/kernel/pdf/pdf-writer.ts'
import type { Source, TiffPage } from './tiff-reader.ts'

const a4 = { width: 595.28, height: 841.89 }
const margin = 56
const lineHeight = 16
const valueAt = 220
/** As many characters as fit next to the names, at the font size. */
const maxValueLength = 60

interface ReportText {
  title: string
  lines: readonly (readonly [string, string])[]
}

/** One page of text about a fax, with its first page in small below. */
export async function* reportOf({ title, lines }: ReportText, first?: { file: Source; page: TiffPage }): Pieces {
  const pdf = new PdfWriter()
  yield* pdf.begin()
  const top = a4.height - margin
  const content = [showText('/B 16', margin, top - 16, title)]
  for (const [index, [name, value]] of lines.entries()) {
    const y = top - 48 - index * lineHeight
    content.push(
      showText('/B 10', margin, y, name),
      showText('/T 10', valueAt, y, value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value),
    )
  }
  const image = first && (yield* addImage(pdf, first.file, first.page))
  if (first) content.push(picture(first.page, top - 64 - lines.length * lineHeight))
  yield* pdf.page(a4.width, a4.height, `${builtInFonts}${image === undefined ? '' : ` /XObject << /I ${image} 0 R >>`}`, content.join('\n'))
  yield* pdf.finish()
}

/** As wide as fits between the text and the lower margin, with a frame. */
const picture = (page: TiffPage, top: number): string => {
  const [width, height] = [page.width / page.x, page.height / page.y]
  const scale = Math.min((a4.width - 2 * margin) / width, (top - margin) / height)
  const box = [round(width * scale), round(height * scale)] as const
  const [x, y] = [margin, round(top - box[1])]
  return `q ${box[0]} 0 0 ${box[1]} ${x} ${y} cm /I Do Q\n0.5 w ${x} ${y} ${box[0]} ${box[1]} re S`
}
