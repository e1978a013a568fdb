import { sql } from 'kysely'
import { posting, readPostings, writePostings, type Posting, countTerms } from '#core/assistant/knowledge/index-paragraphs.ts'
import type { Db } from '../schema/index.ts'
import type { Mentions } from './mentions.ts'
import { changeRows, deleteRows, type Row } from './table-rows.ts'

interface Options {
  /** Removes a list element for the person, such as a transfer target, instead of making it invalid. */
  prune: boolean
  by?: string
}

/** The text without mentions of the person. JSON stays JSON of the same shape. */
export const redactText = (text: string, mentions: Mentions, options: Options): string => {
  const json = /^\s*[[{]/.test(text) ? parsed(text) : undefined
  if (json === undefined) return mentions.redact(text, options.by)
  const redacted = JSON.stringify(redactValue(json, mentions, options))
  return redacted === JSON.stringify(json) ? text : redacted
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const redactValue = (value: unknown, mentions: Mentions, options: Options): unknown => {
  if (typeof value === 'string') return mentions.redact(value, options.by)
  if (typeof value === 'number') return mentions.isWhole(String(value)) ? null : value
  if (Array.isArray(value)) {
    const kept = options.prune ? value.filter((element) => !isMadeFor(element, mentions)) : value
    return kept.map((element) => redactValue(element, mentions, options))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [mentions.redact(name, options.by), redactValue(field, mentions, options)]),
  )
}

const isMadeFor = (element: unknown, mentions: Mentions): boolean => {
  if (typeof element === 'string') return mentions.isWhole(element)
  if (typeof element !== 'object' || element === null || Array.isArray(element)) return false
  return Object.values(element).some((field) => typeof field === 'string' && mentions.isWhole(field))
}

/** Removes words that are no longer in the passage from the search index of its document. */
export const reindexPassage = async (db: Db, row: Row, change: Readonly<Record<string, string>>): Promise<void> => {
  const left = termsOf({ ...row, ...change })
  const gone = [...termsOf(row).keys()].filter((term) => !left.has(term))
  if (gone.length === 0) return
  const { rows } = await sql<Row>`select * from knowledge_term
    where flow_id = (select flow_id from knowledge_document where id = ${row.document_id})
      and document_id = ${row.document_id} and term in (${sql.join(gone)})`.execute(db)
  for (const term of rows) {
    const postings = withoutPassage(String(term.postings), Number(row.nth))
    if (postings === '') await deleteRows(db, 'knowledge_term', [term])
    else await changeRows(db, 'knowledge_term', [term], { postings: sql`${postings}` })
  }
}

const termsOf = ({ heading, content }: Row): ReadonlyMap<string, number> =>
  countTerms(`${typeof heading === 'string' ? heading : ''} ${String(content)}`).terms

const withoutPassage = (postings: string, passage: number): string => {
  const left: Posting[] = []
  readPostings(postings, (nth, count) => {
    if (nth !== passage) left.push(posting(nth, count))
  })
  return writePostings(left)
}
