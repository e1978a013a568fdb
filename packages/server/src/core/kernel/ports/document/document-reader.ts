import type { documentKinds } from '@offhook/contract/v3/knowledge.ts'

export type DocumentKind = (typeof documentKinds)[number]

/** A paragraph, and where it stands. */
export interface Paragraph {
  text: string
  heading?: string
  page?: number
}

/** Thrown when a document cannot be read: a sentence for who added it. */
export class DocumentUnreadable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DocumentUnreadable'
  }
}

/** From a document to its words. What it reads is not trusted. */
export interface DocumentReader {
  read(kind: DocumentKind, content: Buffer): Promise<Paragraph[]>
  /** Lets others have a turn: whoever works on something long calls it every few milliseconds. */
  breathe(): Promise<void>
}
