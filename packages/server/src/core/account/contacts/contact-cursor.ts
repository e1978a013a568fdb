import { Problem } from '@offhook/contract/problem.ts'
import type { ContactCursor } from '#core/kernel/ports/store/account.ts'

export const writeContactCursor = ({ id, folded }: ContactCursor): string => Buffer.from(`${id} ${folded}`).toString('base64url')

export const readContactCursor = (cursor: string): ContactCursor => {
  const [, id, folded] = /^(\S{1,100}) ([^\0]*)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (id === undefined || folded === undefined) throw Problem.field('cursor', 'is not the nextCursor of a page')
  return { id, folded }
}
