import { Problem } from '@offhook/contract/problem.ts'
import type { HistoryCursor } from '#core/kernel/ports/store/call.ts'

/** End of a page. */
interface HistoryPageCursor extends HistoryCursor {
  /** Total at the time of the first page, if requested; counted once, because counting many entries is slow. */
  total?: number
}

/** Opaque to clients. */
export const writeCursor = ({ createdAt, id, total }: HistoryPageCursor): string =>
  Buffer.from([createdAt, id, ...(total === undefined ? [] : [total])].join(' ')).toString('base64url')

export const readCursor = (cursor: string): HistoryPageCursor => {
  const written = Buffer.from(cursor, 'base64url').toString()
  const [, createdAt, id, total] = /^(\d{1,15}) ([\x21-\x7e]{1,100})(?: (\d{1,15}))?$/.exec(written) ?? []
  if (createdAt === undefined || id === undefined) throw Problem.field('cursor', 'is not the nextCursor of a page')
  return { createdAt: Number(createdAt), id, ...(total !== undefined && { total: Number(total) }) }
}
