/** What a fax is on the disk, in one folder for each account. */
export interface FaxFile {
  accountId: string
  /** The fax. */
  faxId: string
  /** `document`: PDF as it came or as it was received. `pages`: TIFF for the line. `report`: PDF. `preview`: PNG of the first page. */
  kind: 'document' | 'pages' | 'report' | 'preview'
}

export interface OpenFaxFile {
  readonly bytes: number
  readonly changedAt: number
  read(position: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

export interface FaxFiles {
  /** Where an engine writes it by itself, on this machine; its folder is there. */
  pathOf(file: FaxFile): Promise<string>
  /** What an engine wrote there is complete: now it can be kept elsewhere. */
  written(file: FaxFile): Promise<void>
  /** For engines that read by themselves: where it is on this machine until it is given back. Undefined when there is none. */
  lend(file: FaxFile): Promise<{ path: string; release(): Promise<void> } | undefined>
  open(file: FaxFile): Promise<OpenFaxFile | undefined>
  /** Seen under its name when all of it is there. What is given in pieces need not be in memory as a whole. */
  write(file: FaxFile, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  /** Everything of this fax. Nothing happens when there is nothing. Throws when it cannot be removed now. */
  erase(accountId: string, faxId: string): Promise<void>
  /** How much all that belongs to this fax takes. */
  bytesOf(accountId: string, faxId: string): Promise<number>
  /** All that are there, in no order. */
  list(): AsyncIterable<{ accountId: string; faxId: string; changedAt: number }>
}

/** Thrown when a document cannot be faxed: `why` completes the sentence "base64Content …". */
export class DocumentRefused extends Error {
  readonly why: string

  constructor(why: string) {
    super(why)
    this.name = 'DocumentRefused'
    this.why = why
  }
}

/** From a document to pages for the line and back. What it reads is not trusted. */
export interface FaxPrinter {
  /** PDF → document, pages (TIFF) and preview of this fax, written to its files; gives how many pages. Throws DocumentRefused, and nothing is left then. */
  render(fax: { accountId: string; faxId: string }, pdf: Uint8Array): Promise<{ pages: number }>
  /** The received TIFF → document and preview of this fax; gives how many pages are in it, 0 also when there is no file. */
  bind(fax: { accountId: string; faxId: string }): Promise<{ pages: number; preview: boolean }>
  /** A page of text about how a fax went, with its first page in small. */
  report(fax: { accountId: string; faxId: string }, text: { title: string; lines: readonly (readonly [string, string])[] }): Promise<void>
}
