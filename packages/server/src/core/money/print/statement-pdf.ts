import { builtInFonts, showText } from '#core/kernel/pdf/pdf-text.ts'
import { PdfWriter } from '#core/kernel/pdf/pdf-writer.ts'
import { text, type Locale } from '#core/kernel/translations/index.ts'
import type { Statement, StatementLine } from '../statement.ts'

const a4 = { width: 595.28, height: 841.89 }
const margin = 56
const lineHeight = 18
const right = a4.width - margin
const columns = { what: margin, usage: 250 }
/** Average width of a Helvetica digit relative to the font size, to right-align amounts. */
const digitWidth = 0.556

/** One page with customer, lines and amounts, exact to the ten-thousandth. */
export const pdfOf = async (statement: Statement, locale: Locale): Promise<Uint8Array> => {
  const pdf = new PdfWriter()
  const pieces: Uint8Array[] = []
  for await (const piece of pdf.begin()) pieces.push(piece)
  for await (const piece of pdf.page(a4.width, a4.height, builtInFonts, contentOf(statement, locale))) pieces.push(piece)
  for await (const piece of pdf.finish()) pieces.push(piece)
  return Buffer.concat(pieces)
}

const contentOf = (statement: Statement, locale: Locale): string => {
  const { kind, month, number, customer, seller, opening, closing, lines, tax, currency, hash } = statement
  const say = (key: PdfText, values?: Record<string, string>): string => text(locale, `statement.${key}`, values)
  const amount = (value: number): string => moneyOf(value, currency, locale)
  const page = new Lines()
  page.line('/B 18', say(kind === 'INVOICE' ? 'invoice' : 'statement', { month }))
  page.line('/T 10', say('number', { number: String(number) }))
  page.gap()
  page.line('/B 10', customer.company)
  page.line('/T 10', say('account', { account: customer.accountId }))
  page.gap()
  for (const part of seller ? [seller.name, ...seller.address.split('\n'), say('taxId', { taxId: seller.taxId })] : [])
    page.line('/T 9', part)
  page.gap()
  page.row('/B 10', say('opening'), '', amount(opening))
  for (const line of lines) page.row('/T 10', say(`line.${line.type}`), usageOf(line, say, locale), amount(line.amount))
  page.row('/B 10', say('closing'), '', amount(closing))
  page.gap()
  if (tax) page.row('/T 10', say('tax', { percent: String(tax.percent) }), '', amount(tax.amount))
  page.gap()
  page.line('/T 7', say('hash', { hash }))
  return page.content
}

type PdfText =
  | ('statement' | 'invoice' | 'number' | 'account' | 'taxId' | 'opening' | 'closing' | 'tax' | 'hash')
  | ('calls' | 'messages' | 'pages')
  | `line.${StatementLine['type']}`

const usageOf = (
  { type, calls, minutes, messages, pages }: StatementLine,
  say: (key: PdfText, values: Record<string, string>) => string,
  locale: Locale,
): string => {
  const count = (value: number): string => new Intl.NumberFormat(locale.replace('_', '-')).format(value)
  if (type === 'CALL' || type === 'FLOW') return say('calls', { calls: count(calls), minutes: count(minutes) })
  if (type === 'SMS') return say('messages', { messages: count(messages) })
  return type === 'FAX' ? say('pages', { pages: count(pages) }) : ''
}

/** With all decimals: a tenth of a cent counts. */
const moneyOf = (amount: number, currency: string, locale: Locale): string =>
  new Intl.NumberFormat(locale.replace('_', '-'), { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount / 10_000)

/** Lines from the top of the page down. */
class Lines {
  readonly #shown: string[] = []
  #y = a4.height - margin

  get content(): string {
    return this.#shown.join('\n')
  }

  line(face: string, shown: string): void {
    this.#y -= lineHeight
    this.#shown.push(showText(face, margin, this.#y, shown))
  }

  row(face: string, what: string, usage: string, amount: string): void {
    this.#y -= lineHeight
    const size = Number(face.split(' ')[1])
    const left = right - amount.length * size * digitWidth
    this.#shown.push(
      showText(face, columns.what, this.#y, what),
      showText(face, columns.usage, this.#y, usage),
      showText(face, left, this.#y, amount),
    )
  }

  gap(): void {
    this.#y -= lineHeight / 2
  }
}
