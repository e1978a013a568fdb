import type { DocumentReader, Paragraph } from '#core/kernel/ports/document/document-reader.ts'
import type { StoredPassage, StoredTerm } from '#core/kernel/ports/store/assistant/knowledge.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { intoPassages } from './passages.ts'
import { writePostings } from './postings.ts'
import { countTerms } from './terms.ts'

/** At a time, so that calls come in between: passages to be counted, rows to be written. */
const passagesPerBatch = 8
const rowsPerBatch = 200
const erasedPerBatch = 500

export interface IndexDeps {
  store: Store
  reader: Pick<DocumentReader, 'breathe'>
}

/** Splits a document and writes its passages and terms, in many small transactions; gives the words of each passage. What was there of it before goes. */
export const writeIndex = async (
  deps: IndexDeps,
  { id: documentId, flowId }: { id: string; flowId: string },
  paragraphs: readonly Paragraph[],
  maxPassages: number,
): Promise<{ passages: StoredPassage[]; lengths: number[] } | 'too long'> => {
  await eraseContent(deps, documentId)
  const passages: StoredPassage[] = []
  for (const passage of intoPassages(paragraphs)) {
    if (passages.length >= maxPassages) return 'too long'
    passages.push({ documentId, nth: passages.length, ...passage })
    if (passages.length % passagesPerBatch === 0) await deps.reader.breathe()
  }
  const { terms, lengths } = await collectTerms(deps, passages)
  await inSlices(deps, passages, (tables, some) => tables.addPassages(some))
  await inSlices(deps, terms, (tables, some) => tables.addTerms(flowId, some))
  return { passages, lengths }
}

/** Of a document that is gone, or is read once more. */
export const eraseContent = async ({ store, reader }: IndexDeps, documentId: string): Promise<void> => {
  while (await store.write(({ knowledge }) => knowledge.erase(documentId, erasedPerBatch))) await reader.breathe()
}

const collectTerms = async ({ reader }: IndexDeps, passages: readonly StoredPassage[]) => {
  const byTerm = new Map<string, Map<number, number>>()
  const lengths: number[] = []
  for (const { nth, heading = '', text } of passages) {
    const { terms, words } = countTerms(`${heading} ${text}`)
    lengths.push(words)
    for (const [term, count] of terms) {
      const counts = byTerm.get(term)
      if (counts) counts.set(nth, count)
      else byTerm.set(term, new Map([[nth, count]]))
    }
    if (lengths.length % passagesPerBatch === 0) await reader.breathe()
  }
  const documentId = passages[0]?.documentId ?? ''
  const terms: StoredTerm[] = []
  for (const [term, counts] of byTerm) terms.push({ term, documentId, postings: writePostings(counts) })
  return { terms, lengths }
}

const inSlices = async <T>(
  { store, reader }: IndexDeps,
  rows: readonly T[],
  write: (tables: Parameters<Parameters<Store['write']>[0]>[0]['knowledge'], some: readonly T[]) => Promise<void>,
): Promise<void> => {
  for (let at = 0; at < rows.length; at += rowsPerBatch) {
    await store.write(({ knowledge }) => write(knowledge, rows.slice(at, at + rowsPerBatch)))
    await reader.breathe()
  }
}
