import { buffer } from 'node:stream/consumers'
import { countPdfPages } from '#core/money/pdf-pages.ts'
import { DocumentRefused, type FaxFile, type FaxFiles, type FaxPrinter } from '#core/kernel/ports/messages.ts'

type FaxId = Pick<FaxFile, 'accountId' | 'faxId'>

/** PDF with this many empty pages, in Base64. */
export const emptyPdf = (pages: number): string => {
  const objects = Array.from({ length: pages }, (_, i) => `${i + 3} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj`)
  return Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Type /Pages /Count ${pages} >>\nendobj\n${objects.join('\n')}\n%%EOF\n`).toString('base64')
}

/** In-memory fax files, and a printer that only counts pages. */
export class ScriptedPapers implements FaxFiles, FaxPrinter {
  readonly files = new Map<string, Uint8Array>()
  readonly reports: { title: string; lines: readonly (readonly [string, string])[] }[] = []
  /** Unexpected extra pages. */
  more = 0
  refuses: string | undefined

  async pathOf(file: FaxFile): Promise<string> {
    return nameOf(file)
  }

  async written(): Promise<void> {}

  async lend(file: FaxFile) {
    return this.files.has(nameOf(file)) ? { path: nameOf(file), release: async () => {} } : undefined
  }

  async open(file: FaxFile) {
    const content = this.files.get(nameOf(file))
    if (!content) return undefined
    const read = async (position: number, length: number) => content.subarray(position, position + length)
    return { bytes: content.length, changedAt: 0, read, close: async () => {} }
  }

  async write(file: FaxFile, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    this.files.set(nameOf(file), content instanceof Uint8Array ? content : await buffer(content))
  }

  async erase(accountId: string, faxId: string): Promise<void> {
    for (const name of this.namesOf({ accountId, faxId })) this.files.delete(name)
  }

  async bytesOf(accountId: string, faxId: string): Promise<number> {
    return this.namesOf({ accountId, faxId }).reduce((sum, name) => sum + (this.files.get(name)?.length ?? 0), 0)
  }

  async *list() {
    for (const name of this.files.keys()) {
      const [accountId = '', faxId = ''] = name.split('/')
      yield { accountId, faxId, changedAt: 0 }
    }
  }

  namesOf({ accountId, faxId }: FaxId): string[] {
    return [...this.files.keys()].filter((name) => name.startsWith(`${accountId}/${faxId}/`))
  }

  async render(fax: FaxId, pdf: Uint8Array): Promise<{ pages: number }> {
    if (this.refuses !== undefined) throw new DocumentRefused(this.refuses)
    for (const kind of ['document', 'pages', 'preview'] as const) await this.write({ ...fax, kind }, pdf)
    return { pages: (countPdfPages(pdf) ?? 0) + this.more }
  }

  /** As many pages as bytes. */
  async bind(fax: FaxId): Promise<{ pages: number; preview: boolean }> {
    const pages = this.files.get(nameOf({ ...fax, kind: 'pages' }))
    if (!pages) return { pages: 0, preview: false }
    for (const kind of ['document', 'preview'] as const) await this.write({ ...fax, kind }, pages)
    return { pages: pages.length, preview: true }
  }

  async report(fax: FaxId, text: { title: string; lines: readonly (readonly [string, string])[] }): Promise<void> {
    await this.write({ ...fax, kind: 'report' }, Buffer.from(text.title))
    this.reports.push(text)
  }
}

const nameOf = ({ accountId, faxId, kind }: FaxFile): string => `${accountId}/${faxId}/${kind}`
