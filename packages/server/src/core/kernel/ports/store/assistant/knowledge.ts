import type { documentStates } from '@offhook/contract/v3/knowledge.ts'
import type { DocumentKind, Paragraph } from '#core/kernel/ports/document/document-reader.ts'

export interface StoredDocument {
  id: string
  accountId: string
  flowId: string
  name: string
  kind: DocumentKind
  /** Where it is read, or was. */
  url: string | undefined
  state: (typeof documentStates)[number]
  /** Why it cannot be used, or not as well as it should. */
  problem: string | undefined
  bytes: number
  passages: number
  addedAt: number
}

/** Of a document that can be asked. */
export interface IndexedDocument {
  id: string
  name: string
  /** The words of each passage. */
  lengths: readonly number[]
}

export interface PassageKey {
  documentId: string
  nth: number
}

export interface StoredPassage extends PassageKey, Paragraph {}

/** A term of a document, and in which of its passages it is how often, as `postings.ts` writes it. */
export interface StoredTerm {
  term: string
  documentId: string
  postings: string
}

/** Of passages of a document from the first on, as `vectors.ts` writes them. */
export interface StoredVectors {
  documentId: string
  first: number
  /** Which model made them: those of another one cannot be compared. */
  model: string
  vectors: string
}

export type DocumentChange = Partial<Pick<StoredDocument, 'name' | 'kind' | 'state' | 'problem' | 'bytes'>> & {
  lengths?: readonly number[]
}

/** What assistants can look up. */
export interface Knowledge {
  insert(document: StoredDocument): Promise<void>
  /** The newest first. */
  list(accountId: string, flowId: string): Promise<StoredDocument[]>
  find(accountId: string, flowId: string, id: string): Promise<StoredDocument | undefined>
  /** Who works on it knows its id only. */
  findAny(id: string): Promise<StoredDocument | undefined>
  /** Of all flows. */
  listOf(accountId: string): Promise<StoredDocument[]>
  /** False: it was removed meanwhile. */
  change(id: string, change: DocumentChange): Promise<boolean>
  /** Its content stays until it is erased. */
  remove(accountId: string, flowId: string, id: string): Promise<boolean>
  putSource(documentId: string, nth: number, content: string): Promise<void>
  source(documentId: string, nth: number): Promise<string | undefined>
  removeSource(documentId: string): Promise<void>
  addPassages(passages: readonly StoredPassage[]): Promise<void>
  /** In their order. */
  listPassages(documentId: string): Promise<StoredPassage[]>
  findPassages(keys: readonly PassageKey[]): Promise<StoredPassage[]>
  addTerms(flowId: string, terms: readonly StoredTerm[]): Promise<void>
  listTerms(flowId: string, terms: readonly string[]): Promise<StoredTerm[]>
  /** Those that are ready. */
  listIndexed(accountId: string, flowId: string): Promise<IndexedDocument[]>
  addVectors(vectors: StoredVectors): Promise<void>
  listVectors(documentId: string, model: string): Promise<StoredVectors[]>
  /** Of passages, terms, vectors: at most so many rows. False when nothing is left. */
  erase(documentId: string, limit: number): Promise<boolean>
}
