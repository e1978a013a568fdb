import { Problem } from '@offhook/contract/problem.ts'
import type { HistoryPlace } from '../ports/store/history.ts'

/** Where a page ended. Meant to be given back as it is. */
export const writeCursor = ({ createdAt, id }: HistoryPlace): string => Buffer.from(`${createdAt} ${id}`).toString('base64url')

export const readCursor = (cursor: string): HistoryPlace => {
  const [, createdAt, id] = /^(\d{1,15}) ([\x21-\x7e]{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (createdAt === undefined || id === undefined) throw Problem.field('cursor', 'is not the nextCursor of a page')
  return { createdAt: Number(createdAt), id }
}
